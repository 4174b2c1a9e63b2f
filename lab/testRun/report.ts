/** Vitest's JSON report, as far as it is read here. */
export interface Report {
  readonly numPassedTests: number;
  readonly numFailedTests: number;
  readonly testResults: ReadonlyArray<{
    readonly name: string;
    readonly status: string;
    readonly assertionResults: ReadonlyArray<{
      readonly status: string;
      readonly fullName: string;
      readonly ancestorTitles: readonly string[];
      readonly failureMessages?: readonly string[];
    }>;
    /** Reason that a file could not be loaded. */
    readonly message?: string;
  }>;
}
