import type { Clock } from "./clock";

/** What an action is about. */
export interface Resource {
  readonly id: number;
  readonly type: "server" | "firewall";
}

/** Why an action failed. */
export interface ActionError {
  readonly code: string;
  readonly message: string;
}

/** Work in progress, as the API shows it. */
export interface Action {
  readonly id: number;
  readonly command: string;
  readonly status: "running" | "success" | "error";
  readonly progress: number;
  readonly started: string;
  readonly finished: string | null;
  readonly resources: readonly Resource[];
  readonly error: ActionError | null;
}

/** How an action goes. */
export interface Course {
  /** Begins when this one has ended, and fails with it. */
  readonly after?: number | undefined;
  /** Done in the machine room meanwhile; not begun where the action is to fail. */
  readonly work?: (() => Promise<void>) | undefined;
  /** What is different when it has ended well. */
  readonly onSuccess?: (() => void | Promise<void>) | undefined;
  readonly onError?: (() => void | Promise<void>) | undefined;
}

interface Running {
  action: Action;
  readonly course: Course;
  readonly seconds: number;
  /** Milliseconds; undefined while another one has to end first. */
  begun: number | undefined;
  working: boolean;
  ending: boolean;
  error: ActionError | null;
}

/** Every action of the project. They get on where {@link settle} is called. */
export class Actions {
  private readonly all = new Map<number, Running>();

  constructor(
    private readonly clock: Clock,
    private readonly newId: () => number,
    /** How long a command takes, and whether a test wants it to fail. */
    private readonly fate: (
      command: string,
      resources: readonly Resource[],
    ) => { seconds: number; error: ActionError | null },
  ) {}

  start(command: string, resources: readonly Resource[], course: Course = {}, error?: ActionError): Action {
    const fate = this.fate(command, resources);
    const action: Action = {
      id: this.newId(),
      command,
      status: "running",
      progress: 0,
      started: this.clock.stamp(),
      finished: null,
      resources,
      error: null,
    };
    const running: Running = {
      action,
      course,
      seconds: fate.seconds,
      begun: undefined,
      working: false,
      ending: false,
      error: error ?? fate.error,
    };
    this.all.set(action.id, running);
    if (course.after === undefined) this.begin(running);
    return action;
  }

  private begin(running: Running): void {
    running.begun = this.clock.now();
    if (!running.course.work || running.error) return;
    running.working = true;
    running.course.work().then(
      () => {
        running.working = false;
      },
      (reason: unknown) => {
        running.working = false;
        running.error = { code: "action_failed", message: `Action failed: ${(reason as Error).message}` };
      },
    );
  }

  /** Ends what is due, and begins what waited for that. Called before every answer, too. */
  async settle(): Promise<void> {
    for (const running of this.all.values()) {
      if (running.action.status !== "running" || running.ending) continue;
      const before = running.course.after === undefined ? undefined : this.all.get(running.course.after);
      if (before?.action.status === "running") continue;
      if (before?.action.status === "error") running.error ??= before.error;
      if (running.begun === undefined) this.begin(running);
      const elapsed = (this.clock.now() - (running.begun ?? 0)) / 1000;
      if (running.working || (elapsed < running.seconds && before?.action.status !== "error")) {
        const progress = Math.min(99, Math.floor((elapsed / (running.seconds || 1)) * 100));
        running.action = { ...running.action, progress };
        continue;
      }
      running.ending = true;
      await (running.error ? running.course.onError?.() : running.course.onSuccess?.());
      running.action = {
        ...running.action,
        status: running.error ? "error" : "success",
        progress: 100,
        finished: this.clock.stamp(),
        error: running.error,
      };
    }
  }

  list(of?: Resource): Action[] {
    const actions = [...this.all.values()].map(({ action }) => action);
    return of
      ? actions.filter(({ resources }) => resources.some(({ id, type }) => id === of.id && type === of.type))
      : actions;
  }

  get(id: number): Action | undefined {
    return this.all.get(id)?.action;
  }

  isBusy(resource: Resource): boolean {
    return this.list(resource).some(({ status }) => status === "running");
  }
}
