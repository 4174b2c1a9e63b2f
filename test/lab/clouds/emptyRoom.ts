import type { MachineRoom } from "../../../lab/clouds/machineRoom";

/** Creates a machine room without machines, for tests that end before any connection to a server. */
export function emptyRoom(): MachineRoom {
  const up = new Set<string>();
  let made = 0;
  return {
    order: async ({ id }) => {
      up.add(id);
      made += 1;
      return { address: `192.0.2.${made}` };
    },
    powerOff: async (id) => void up.delete(id),
    setFirewall: async () => undefined,
    isRunning: async (id) => up.has(id),
    remove: async (id) => void up.delete(id),
  };
}
