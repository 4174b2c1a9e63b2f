/** Returns an action that loads its code when it runs: --help does without the half second that schema and ssh need. */
export function onDemand<Args extends readonly unknown[]>(load: () => Promise<(...args: Args) => Promise<number>>) {
  // Commander adds the command behind arguments and options.
  return async (...args: readonly unknown[]): Promise<void> => {
    const run = await load();
    process.exitCode = await run(...(args.slice(0, -1) as unknown as Args));
  };
}
