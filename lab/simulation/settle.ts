import { Broken, copyOf, hostNames, type World } from "./state";
import { isDone, type RunSettings, type Up, up } from "./world";

/** Returns the settings that a refusal asks for. They are true as long as no disk was lost. */
function wordsFor(refusal: string): NonNullable<RunSettings["words"]> {
  const number = /laterThanMove (\d+)/.exec(refusal)?.[1];
  return {
    ...(number === undefined ? {} : { laterThan: Number(number) }),
    ...(refusal.includes("firstMove") ? { isFirst: true } : {}),
  };
}

/** Number of runs in a row that finish a move from any state. */
const most = 3;

/**
 * Checks what holds once nothing fails any more: a few runs of one stack lead to exactly one orchestrator. The other
 * stacks refuse, or say truly that they are done.
 * @throws Broken
 */
export async function settle(world: World, ups: readonly Up[], settings: RunSettings): Promise<void> {
  if (world.isHarmed || hostNames.some((name) => world.hosts[name].isGone)) return;
  const said: string[] = [];
  let isGood = false;
  for (const wanted of ups) {
    const calm = copyOf(world);
    for (const name of hostNames) calm.hosts[name].reachable = true;
    let ending = "";
    for (let count = 0; count < most && !isDone(ending); count += 1)
      ending = await up(calm, wanted, [], { ...settings, words: wordsFor(ending) });
    const signers = hostNames.filter((name) => calm.hosts[name].running);
    if (isDone(ending) && ending.endsWith(": moved") && signers.length !== 1)
      throw new Broken(`${wanted.stack} says ${ending}, and ${signers.length} sign`);
    if (isDone(ending) && signers.length === 1) isGood = true;
    said.push(`${wanted.stack} ${wanted.direction}: ${ending}`);
  }
  if (!isGood) throw new Broken(`no run ends with one signer, though nothing was lost:\n${said.join("\n")}`);
}
