/** Runs the jobs of one machine one after another, in the order of the requests. */
export class Turns {
  private readonly last = new Map<string, Promise<unknown>>();

  take<T>(id: string, job: () => Promise<T>): Promise<T> {
    const result = (this.last.get(id) ?? Promise.resolve()).then(job);
    const settled = result.catch(() => undefined);
    this.last.set(id, settled);
    void settled.then(() => this.last.get(id) === settled && this.last.delete(id));
    return result;
  }
}
