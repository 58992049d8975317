import { Unsupported, type Accountant, type Adjacency, type PrivacyEvent } from '@lethe/core';

/** Lower and upper bound on δ at an ε. */
export interface ProfilePoint {
  readonly epsilon: number;
  readonly lower: number;
  readonly upper: number;
}

/** The curve δ(ε) of an event at increasing ε, with the accountants' methods. */
export interface Profile {
  /** Version of this record. */
  readonly v: 1;
  readonly methods: readonly string[];
  readonly points: readonly ProfilePoint[];
}

/** Grid of the curve: from ε = 0 to the ε at which δ is `depth`. */
export interface ProfileOptions {
  readonly accountant: Pick<Accountant, 'epsilon' | 'delta'>;
  readonly adjacency: Adjacency;
  /** @defaultValue 1e-10 */
  readonly depth?: number;
  /** @defaultValue 21 */
  readonly points?: number;
}

/** Width of the answers in ε, as a share of the grid's; narrower ones take ten times as long. */
const widthShare = 1e-4;

/** The curve of an event; `null` without an answer of an accountant. */
export function profileOf(event: PrivacyEvent, options: ProfileOptions): Profile | null {
  const { accountant, adjacency } = options;
  try {
    const grid = profileGrid(event, options);
    const width = widthShare * Math.max(...grid);
    const answers = grid.map((epsilon) => ({
      epsilon,
      answer: accountant.delta(event, { adjacency, epsilon, width }),
    }));
    return {
      v: 1,
      methods: [...new Set(answers.map(({ answer }) => answer.method.split(/[,:] /u)[0]))],
      points: answers.map(({ epsilon, answer: { lower, upper } }) => ({ epsilon, lower, upper })),
    };
  } catch (error) {
    if (error instanceof Unsupported) return null;
    throw error;
  }
}

/** Depth with a budget's δ well inside. */
export const depthFor = (delta: number): number =>
  delta > 0 ? Math.max(1e-300, Math.min(1e-10, delta / 1000)) : 1e-10;

/**
 * Values of ε at equal distances, from 0 to where the event's δ is as small as `depth`, or as small as it
 * gets.
 */
export function profileGrid(
  event: PrivacyEvent,
  { accountant, adjacency, depth = 1e-10, points = 21 }: ProfileOptions,
): readonly number[] {
  const depths = [depth, 1e-8, 1e-6, 1e-4, 1e-2, 0.5].filter((delta) => delta >= depth);
  const top = depths
    .map((delta) => () => accountant.epsilon(event, { adjacency, delta }).upper)
    .reduce((found, ask) => (Number.isFinite(found) ? found : ask()), Infinity);
  const most = Number.isFinite(top) && top > 0 ? Number(top.toPrecision(3)) : 1;
  return Array.from({ length: points }, (_, i) => Number(((most * i) / (points - 1)).toPrecision(6)));
}
