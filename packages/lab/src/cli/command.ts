/** Output and input of the command line. `out` is for results alone; everything else goes to `error`. */
export interface Streams {
  out(text: string): void;
  error(text: string): void;
  /** Resolves when `out` takes more text: to `false` when its reader is gone. @defaultValue always `true` */
  readonly drained?: () => Promise<boolean>;
  /** Standard input in chunks. */
  readonly input?: () => AsyncIterable<Uint8Array>;
  /**
   * Makes an interrupt abort the signal until the returned function is called; otherwise it ends the process.
   */
  readonly hold?: () => () => void;
  /** Asks the user, and resolves to a line; `null` where there is nobody to ask. @defaultValue `null` */
  readonly prompt?: ((question: string) => Promise<string>) | null;
  /** What the terminal can show. @defaultValue 110 columns without colours */
  readonly terminal?: { readonly width?: number; readonly hasColours?: boolean };
}

/** What an {@link Action} gets besides its arguments. */
export interface Context extends Required<Streams> {
  readonly signal: AbortSignal;
  /** All commands of the program. */
  readonly commands: readonly Command[];
  /**
   * Writes to stderr without escaping, for lines that are overwritten: the caller makes the text printable.
   */
  rewrite(text: string): void;
}

/** An option of a command. */
export interface Option {
  /** A number may be `Infinity`. */
  readonly type: 'string' | 'number' | 'boolean';
  /** The option may be repeated. */
  readonly multiple?: boolean;
  /** The command does not run without it. */
  readonly isRequired?: boolean;
  /** The only values that it takes. */
  readonly choices?: readonly string[];
  /** Placeholder of the value in the help. */
  readonly value?: string;
  readonly help: string;
}

/** Arguments of a command, by name. Options that the command does not have are not there. */
export interface Parsed {
  readonly positionals: readonly string[];
  readonly string: (name: string) => string | undefined;
  readonly strings: (name: string) => readonly string[];
  readonly flag: (name: string) => boolean;
  readonly number: (name: string) => number | undefined;
  readonly numbers: (name: string) => readonly number[];
}

/** Does what a command is for. Resolves to the exit code. */
export type Action = (parsed: Parsed, context: Context) => Promise<number>;

/**
 * A command as data, from which its help and its parser are made. The module of a command imports no other
 * package, so that help and usage errors take no time; `load` imports the code that does the work.
 */
export interface Command {
  readonly name: string;
  /** Positional arguments, as the help shows them. */
  readonly arguments: string;
  /** Words that the first argument may be, for completion. @defaultValue any */
  readonly words?: readonly string[];
  readonly summary: string;
  /** More to say in its own help. */
  readonly notes?: string;
  /** Command lines that work, for its own help. */
  readonly examples?: readonly string[];
  /** How to go on after an interrupt. @defaultValue to run it again */
  readonly interrupted?: string;
  readonly options: Readonly<Record<string, Option>>;
  /** Names of options elsewhere, with what there is in their place. */
  readonly otherWords?: Readonly<Record<string, string>>;
  /** Checks arguments against one another. @throws {UsageError} */
  check?(parsed: Parsed): void;
  readonly load: () => Promise<Action>;
}
