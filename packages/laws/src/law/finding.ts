import { Unsupported } from '@lethe/core';

/** A counterexample, with its evidence. */
export interface Violation {
  /** One sentence: the expected and the observed behaviour. */
  readonly what: string;
  readonly measured?: number;
  readonly allowed?: number;
  /** The counterexample, as small as possible; plain data, for printing. */
  readonly input?: unknown;
  /** Two values that should agree, by name: a report lists where they differ. */
  readonly compare?: Readonly<Record<string, unknown>>;
  /** The event, statistic or direction that shows the violation. */
  readonly witness?: string;
  /** Natural logarithm of the evidence, if statistical. */
  readonly logE?: number;
  /** Values for fast-check to reproduce the shrunk input. */
  readonly fastCheck?: { readonly seed: number; readonly path: string };
  readonly cause?: unknown;
  /** Whether the check ended because the subject refused what it was given. @defaultValue false */
  readonly isRefusal?: boolean;
}

/** Why a check that held could not have failed, and how many tests it asked. */
export interface Blindness {
  readonly why: string;
  readonly asked: number;
}

/** Outcome of one law on one subject in one cell. `samples` counts inputs or draws. */
export type Finding =
  | {
      readonly verdict: 'holds';
      readonly samples: number;
      readonly note?: string;
      /** Why a sampling law could not have failed with so many samples; absent where it could. */
      readonly blind?: Blindness;
    }
  | { readonly verdict: 'fails'; readonly samples: number; readonly violation: Violation }
  | { readonly verdict: 'skipped'; readonly samples: 0; readonly why: string };

/** The law passes on everything tried. */
export const holds = (samples: number, note?: string): Finding => ({
  verdict: 'holds',
  samples,
  ...(note === undefined ? {} : { note }),
});
/** The law is violated. */
export const fails = (samples: number, violation: Violation): Finding => ({
  verdict: 'fails',
  samples,
  violation,
});
/**
 * The law fails because the subject refuses all that it tries. At other parameters than those of an example
 * that is no violation.
 */
export const takesNothing = (what: string, samples = 1): Finding =>
  fails(samples, { what, cause: new Unsupported(what, {}), isRefusal: true });
/** The law does not apply to this subject. */
export const skipped = (why: string): Finding => ({ verdict: 'skipped', samples: 0, why });
/** `fails` with a violation, `holds` without. */
export const judge = (samples: number, violation: Violation | undefined): Finding =>
  violation === undefined ? holds(samples) : fails(samples, violation);
