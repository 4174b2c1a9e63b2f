import type { Faults } from "../api/faults";

export interface Resource {
  readonly id: number;
  readonly type: "server" | "firewall";
}

export interface ActionError {
  readonly code: string;
  readonly message: string;
}

/** Work in progress, in the API's form. */
export interface Action {
  readonly id: number;
  readonly command: string;
  readonly status: "running" | "success" | "error";
  readonly resources: readonly Resource[];
  readonly error: ActionError | null;
}

/** Work and consequences of an action. */
export interface Course {
  /** Action that must end first. If it fails, this action fails, too. */
  readonly after?: number | undefined;
  /** Runs in the machine room during the action. Does not start if the action is meant to fail. */
  readonly work?: (() => Promise<void>) | undefined;
  /** Applies the changes after the action succeeded. */
  readonly onSuccess?: (() => void | Promise<void>) | undefined;
  readonly onError?: (() => void | Promise<void>) | undefined;
}

interface Running {
  action: Action;
  readonly course: Course;
  /** Milliseconds. Undefined until the action before it has ended. */
  begun: number | undefined;
  working: boolean;
  ending: boolean;
  error: ActionError | null;
}

/** All actions of the project. They advance only when {@link settle} is called. */
export class Actions {
  private readonly all = new Map<number, Running>();

  constructor(
    private readonly newId: () => number,
    private readonly faults: Faults,
    /** Minimum duration of an action. */
    private readonly seconds: number,
  ) {}

  start(command: string, resources: readonly Resource[], course: Course = {}, error?: ActionError): Action {
    const action: Action = { id: this.newId(), command, status: "running", resources, error: null };
    const isFailing = this.faults.strike("failAction", { command }) !== undefined;
    const running: Running = {
      action,
      course,
      begun: undefined,
      working: false,
      ending: false,
      error: error ?? (isFailing ? { code: "action_failed", message: "Action failed" } : null),
    };
    this.all.set(action.id, running);
    if (course.after === undefined) this.begin(running);
    return action;
  }

  private begin(running: Running): void {
    running.begun = Date.now();
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

  /** Ends the actions that are due and starts those that waited for them. Also runs before every answer. */
  async settle(): Promise<void> {
    for (const running of this.all.values()) {
      if (running.action.status !== "running" || running.ending) continue;
      const before = running.course.after === undefined ? undefined : this.all.get(running.course.after);
      if (before?.action.status === "running") continue;
      if (before?.action.status === "error") running.error ??= before.error;
      if (running.begun === undefined) this.begin(running);
      const isDue = Date.now() - (running.begun ?? 0) >= this.seconds * 1000;
      const isSlow = this.faults.has("slowAction", { command: running.action.command });
      if (running.working || ((!isDue || isSlow) && before?.action.status !== "error")) continue;
      running.ending = true;
      await (running.error ? running.course.onError?.() : running.course.onSuccess?.());
      running.action = {
        ...running.action,
        status: running.error ? "error" : "success",
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
