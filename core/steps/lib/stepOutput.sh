# Shows what the newest run of a step prints, until that run ends.
step_output() {
  local pid
  pid=$(ls -t "/run/pillar-host/$step".*/pid | head -n 1)
  tail -n +1 -f -s 0.5 --pid="$(cat "$pid")" "${pid%pid}out"
}
