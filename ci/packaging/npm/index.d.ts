// Certifies MCP servers with the program mcp-assay.
import type { Event, Failure, FinishedEvent, Report } from './report.js';

export * from './report.js';

/** A server of the official SDK (McpServer or Server), as far as it is needed here. */
export interface SdkServer {
  connect(transport: any): Promise<unknown>;
  close(): Promise<unknown>;
}

/** How the run goes, whichever server it is of. The names follow the options of `mcp-assay server`, which has more about each. */
export interface RunOptions {
  /** Revisions to test: '2025-11-25', 'latest', 'all'. Default: all. */
  revisions?: string | readonly string[];
  /** One revision; the same as `revisions`. */
  revision?: string;
  /** Tools that may be called: 'readonly' (default), 'all', 'none', or their names. */
  tools?: string | readonly string[];
  /** Globs of scenarios. Default: all. */
  scenarios?: string | readonly string[];
  /** What is known of the server: files, or names from `mcp-assay list profiles`. */
  profiles?: string | readonly string[];
  /** A YAML file with known violations, which do not count. */
  expectedFailures?: string;
  /** A violated SHOULD counts, too. */
  strict?: boolean;
  /** Only MUST rules, in the newest revision, for at most 5 s. */
  quick?: boolean;
  /** Judge by the rules of this version of the catalogue. */
  catalogue?: number;
  /** Sessions at once. */
  jobs?: number;
  /** The longest wait for an answer, in seconds. */
  timeout?: number;
  /** The longest time for the run, in seconds. */
  maxTime?: number;
  /** A file mcp-assay.yaml whose options apply. Default: none. */
  project?: string;
  /** Further options of `mcp-assay server`, as words. */
  options?: readonly string[];
  /** The folder in which the program and the server run. Default: this one. */
  cwd?: string;
  /** The program. Default: that of the package for this platform. */
  program?: string;
  /** Stops the run and the server; the promise rejects with the signal's reason. */
  signal?: AbortSignal;
  /** Called for each event. */
  onEvent?: (event: Event) => void;
}

/** A server that a command starts, over stdio; or with `url` and `start`, one that listens there. */
export interface CommandTarget {
  command?: string | readonly string[];
  /** Words after the command. */
  args?: string | readonly string[];
  /** Variables for the command. Reports show their names in place of their values. */
  env?: Readonly<Record<string, string>>;
}

/** A server over Streamable HTTP, or over HTTP+SSE (2024-11-05). */
export interface UrlTarget {
  url?: string;
  sseUrl?: string;
  headers?: Readonly<Record<string, string>>;
  /** Start `command`, test `url` as soon as it answers, then stop it. */
  start?: boolean;
}

/** A server of the official SDK in this process. The function makes one for each session. */
export interface SdkTarget {
  server?: () => SdkServer | Promise<SdkServer>;
}

export interface CertifyOptions extends RunOptions, CommandTarget, UrlTarget, SdkTarget {}

export interface Result {
  /** No unexpected violation, and everything could be tested. */
  conformant: boolean;
  /** 0 conformant, 1 violations, 3 something could not be tested, 130 cut short. */
  exitStatus: FinishedEvent['exit_status'];
  /** What fails the run: one entry for each rule, the most important first. */
  failures: Failure[];
  /** The report for people, as a terminal shows it. */
  text: string;
  /** The JSON report. */
  report: Report;
}

/** The server could not be certified at all: a wrong option, no program, no report. */
export class AssayError extends Error {
  /** The exit status of mcp-assay. */
  readonly status: number;
}

/** Certifies a server. Resolves whatever the result is; rejects with AssayError if there is none. */
export function certify(options: CertifyOptions): Promise<Result>;

/** The same as events, for progress; the last is 'finished'. Leaving the loop stops the run. */
export function certifyEvents(options: CertifyOptions): AsyncGenerator<Event, void, undefined>;

/** What `expect(target).toConform()` takes: options, the URL of a server, or a function that makes one in this process. */
export type ServerUnderTest = CertifyOptions | string | URL | (() => SdkServer | Promise<SdkServer>);

/** For `expect.extend(matchers)`; 'mcp-assay/vitest' and 'mcp-assay/jest' do that. */
export const matchers: {
  toConform(target: ServerUnderTest, options?: CertifyOptions): Promise<{ pass: boolean; message: () => string }>;
};
