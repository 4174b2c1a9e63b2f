import { Broken, copyOf, hostNames, type World } from "./state";
import { isDone, type RunSettings, type Up, up } from "./world";

/** The words that a refusal asks for, where no disk was lost: then they are true. */
function wordsFor(refusal: string): NonNullable<RunSettings["words"]> {
  const number = /laterThanMove (\d+)/.exec(refusal)?.[1];
  return {
    ...(number === undefined ? {} : { laterThan: Number(number) }),
    ...(refusal.includes("firstMove") ? { isFirst: true } : {}),
  };
}

/** Runs in a row that are enough to come to an end from anywhere. */
const most = 3;

/**
 * What is promised once faults stop: by a few runs of one stack there is exactly one signer, and each other one either
 * says that it is done, which is true, or refuses. @throws Broken
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
