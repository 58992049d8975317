/** What a law found wrong, with all one needs to believe it. */
export interface Violation {
  /** One sentence: what was expected of what, and what came instead. */
  readonly what: string;
  readonly measured?: number;
  readonly allowed?: number;
  /** The input that shows it, as small as could be found; plain data, so that it can be printed. */
  readonly input?: unknown;
  /** The event, statistic or direction that tells the two sides apart. */
  readonly witness?: string;
  /** Natural logarithm of the evidence, where it is statistical. */
  readonly logE?: number;
  /** Values of fast-check that lead straight to the shrunk input. */
  readonly fastCheck?: { readonly seed: number; readonly path: string };
  readonly cause?: unknown;
}

/** Outcome of one law on one subject in one cell. `samples` counts inputs tried, or draws; it is never a time. */
export type Finding =
  | { readonly verdict: 'holds'; readonly samples: number; readonly note?: string }
  | { readonly verdict: 'fails'; readonly samples: number; readonly violation: Violation }
  | { readonly verdict: 'skipped'; readonly samples: 0; readonly why: string };

/** The law holds on everything tried. */
export const holds = (samples: number, note?: string): Finding => ({ verdict: 'holds', samples, ...(note === undefined ? {} : { note }) });
/** The law is broken. */
export const fails = (samples: number, violation: Violation): Finding => ({ verdict: 'fails', samples, violation });
/** The law says nothing about this subject. */
export const skipped = (why: string): Finding => ({ verdict: 'skipped', samples: 0, why });
/** `fails` when there is a violation, `holds` otherwise. */
export const judge = (samples: number, violation: Violation | undefined): Finding => (violation === undefined ? holds(samples) : fails(samples, violation));

/**
 * Runs a search on each part of a subject, up to the first violation, and adds up the samples.
 *
 * @param where - What a violation begins with, such as "in dimension 3, ".
 */
export function searchEach<T>(parts: readonly T[], search: (part: T) => Finding, where: (part: T) => string = () => ''): Finding {
  let samples = 0;
  for (const part of parts) {
    const finding = search(part);
    samples += finding.samples;
    if (finding.verdict === 'fails') return fails(samples, { ...finding.violation, what: `${where(part)}${finding.violation.what}` });
  }
  return holds(samples);
}
