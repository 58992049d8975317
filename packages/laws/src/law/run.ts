import { InvalidParameter } from '@lethe/core';
import { type Asked, watchJudged } from '../evidence/judged.js';
import { fails, skipped, type Blindness, type Finding, type Violation } from './finding.js';
import { searchForViolation, thrown } from './for-all.js';
import { type Cell, type Law, type LawEnv, type LawId, type Tier, propertyOf } from './law.js';
import { effortElsewhere, elsewhere, foundElsewhere, mostElsewhere } from './other-params.js';
import type { Progress } from './progress.js';
import { streamOf } from './streams.js';
import type { Subject, SubjectKind } from './subject.js';

/** Options for running laws. */
export interface RunOptions {
  /** Seed of all randomness. @defaultValue 'lethe' */
  readonly seed?: string | number;
  /** False-alarm probability of one cell of a statistical law. @defaultValue 1e-10 */
  readonly alpha?: number;
  /** Factor on inputs and draws. @defaultValue 1 */
  readonly effort?: number;
  /** Factors of single laws, in place of `effort`, by id. */
  readonly efforts?: Readonly<Partial<Record<LawId, number>>>;
  /** @defaultValue all but `nightly` */
  readonly tiers?: readonly Tier[];
  /** Ids of the only laws to run; ids of other kinds of subjects are ignored. */
  readonly only?: readonly string[];
  /** Name of the only cell to run, such as `replace-one`; laws without it are left out. */
  readonly cell?: string;
  /** Laws left out, each with a reason; they are reported. */
  readonly skip?: readonly { readonly law: string; readonly because: string }[];
  /** Told after each input of a search, the one at other parameters too, how far it is. */
  readonly progress?: Progress;
  /** Whether a violation is looked for a second time, which takes as long as the first. @defaultValue true */
  readonly repeats?: boolean;
}

/** One law in one cell, ready to run. */
export interface PlannedCheck<K extends SubjectKind = SubjectKind> {
  readonly law: Law<K>;
  readonly subject: Subject<K>;
  readonly cell: Cell;
  readonly title: string;
  readonly skipped?: string;
  /** Error thrown while deciding whether the law applies: the check fails with it. */
  readonly broken?: Violation;
}

/** Result of one check. */
export interface LawReport {
  readonly law: string;
  readonly tier: Tier;
  readonly statement: string;
  readonly subject: string;
  readonly cell: string;
  readonly adjacency?: string;
  readonly seed: string;
  readonly alpha: number;
  readonly finding: Finding;
}

/** Seed of laws where none is given. */
export const defaultSeed = 'lethe';
/** False-alarm probability of a whole run of laws where none is given. */
export const defaultAlpha = 1e-10;
/** Maximum total false-alarm probability of one run of all suites. */
export const totalAlpha = 1e-6;
const everyChange: readonly Tier[] = ['exact', 'search', 'statistical'];

/** All laws in all cells that apply to the subject, cheapest tiers first. */
export function planChecks<K extends SubjectKind>(
  laws: readonly Law<K>[],
  subject: Subject<K>,
  options: RunOptions = {},
): readonly PlannedCheck<K>[] {
  const { tiers = everyChange, only, cell, skip = [] } = options;
  for (const id of [...(only ?? []), ...skip.map(({ law }) => law)]) assertKnown(id, subject.kind, laws);
  for (const { law, because } of skip) {
    if (because.trim() === '')
      throw new InvalidParameter(
        `law '${law}' is skipped without a reason; give the reason, which the report shows`,
        { law },
      );
  }
  const claimed = new Set(subject.claims.map(({ property }) => property));
  const order: readonly Tier[] = ['exact', 'search', 'statistical', 'nightly'];
  return order
    .filter((tier) => tiers.includes(tier))
    .flatMap((tier) =>
      laws
        .filter(
          (law) =>
            law.tier === tier &&
            (only === undefined || only.includes(law.id)) &&
            (law.onClaim !== true || claimed.has(propertyOf(law))),
        )
        .flatMap((law) => checksOf(law, subject, skip.find((left) => left.law === law.id)?.because))
        .filter((check) => cell === undefined || check.cell.name === cell),
    );
}

function checksOf<K extends SubjectKind>(
  law: Law<K>,
  subject: Subject<K>,
  leftOut: string | undefined,
): readonly PlannedCheck<K>[] {
  const whole = { law, subject, cell: { name: '' }, title: `${law.id} › ${subject.name}` };
  try {
    const why = leftOut === undefined ? law.exempt?.(subject) : `left out: ${leftOut}`;
    if (why !== undefined) return [{ ...whole, skipped: why }];
    return (law.cells?.(subject) ?? [whole.cell]).map((cell) => ({
      law,
      subject,
      cell,
      title: [law.id, subject.name, cell.name].filter((part) => part !== '').join(' › '),
    }));
  } catch (error) {
    return [{ ...whole, broken: thrown(error) }];
  }
}

function assertKnown(id: string, kind: SubjectKind, laws: readonly { readonly id: string }[]): void {
  if (id.startsWith(`${kind}/`) && !laws.some((law) => law.id === id))
    throw new InvalidParameter(
      `there is no law '${id}' here; there are ${laws.map((law) => law.id).join(', ')}`,
      { law: id },
    );
}

/**
 * Runs one check. A violation is tested a second time: if it does not repeat under the same conditions, the
 * subject depends on something other than its inputs and randomness, and the report says so.
 */
export async function runCheck<K extends SubjectKind>(
  planned: PlannedCheck<K>,
  options: RunOptions = {},
): Promise<LawReport> {
  const { law, subject, cell } = planned;
  const { seed = defaultSeed, alpha = defaultAlpha, repeats = true } = options;
  const report = (finding: Finding): LawReport => ({
    law: law.id,
    tier: law.tier,
    statement: law.statement,
    subject: subject.name,
    cell: cell.name,
    seed: String(seed),
    alpha: law.tier === 'statistical' || law.tier === 'nightly' ? alpha : 0,
    finding,
    ...(cell.adjacency === undefined ? {} : { adjacency: cell.adjacency }),
  });
  const once = await findingOf(planned, options);
  if (once.verdict !== 'fails' || planned.broken !== undefined || !repeats) return report(once);
  // Laws of a subject share caches by its identity: the second
  // run uses a copy, so that it shares nothing with the first.
  const again = await findingOf({ ...planned, subject: { ...subject } }, options);
  if (again.verdict === 'fails') return report(once);
  return report(
    fails(once.samples, {
      ...once.violation,
      what:
        'FLAKY: the violation does not repeat with the same seed, so the subject depends on something ' +
        'besides inputs and randomness (a counter, a clock, another random source). ' +
        `First violation: ${once.violation.what}`,
    }),
  );
}

/**
 * The finding of a check: of the law in its cell and, unless it samples, also at other parameters of the
 * plugin with a quarter of the effort. {@link runCheck} tests violations a second time.
 */
export async function findingOf<K extends SubjectKind>(
  planned: PlannedCheck<K>,
  options: RunOptions = {},
): Promise<Finding> {
  const { law, subject, cell } = planned;
  if (planned.skipped !== undefined) return skipped(planned.skipped);
  if (planned.broken !== undefined) return fails(1, planned.broken);
  const isSampling = law.tier === 'statistical' || law.tier === 'nightly';
  const others = elsewhere(subject, law.elsewhere ?? (isSampling ? 0 : mostElsewhere(law.kind)));
  // What may go wrong by chance is shared among all parameters.
  const { alpha = defaultAlpha, effort = 1, efforts = {} } = options;
  const shared = {
    ...options,
    effort: efforts[law.id] ?? effort,
    alpha: isSampling ? alpha / (1 + others.length) : alpha,
  };
  const first = isSampling
    ? await checkedAgainst(law, subject, cell, shared)
    : await checked(law, subject, cell, shared);
  if (first.verdict !== 'holds') return first;
  let total = first.samples;
  for (const other of others) {
    const finding = await checkedElsewhere(law, other, cell, shared);
    if (finding === undefined) continue;
    total += finding.samples;
    const found = foundElsewhere({ ...finding, samples: total } as Finding, other);
    if (found !== undefined) return found;
  }
  return { ...first, samples: total };
}

async function checked<K extends SubjectKind>(
  law: Law<K>,
  subject: Subject<K>,
  cell: Cell,
  options: RunOptions,
): Promise<Finding> {
  try {
    return await law.check(subject, environmentOf({ law: law.id, subject: subject.name }, options, cell));
  } catch (error) {
    return fails(1, thrown(error));
  }
}

/** The finding of a law that samples, with the reason if it could not have failed. */
async function checkedAgainst<K extends SubjectKind>(
  law: Law<K>,
  subject: Subject<K>,
  cell: Cell,
  options: RunOptions,
): Promise<Finding> {
  const { result, asked } = await watchJudged(() => checked(law, subject, cell, options));
  const blind = result.verdict === 'holds' ? blindness(asked) : undefined;
  return blind === undefined ? result : ({ ...result, blind } as Finding);
}

/** Why none of the evidence could have rejected; `undefined` where some could. */
function blindness(asked: readonly Asked[]): Blindness | undefined {
  if (asked.length === 0) return { why: 'it made no test', asked: 0 };
  if (asked.some(({ reach, threshold }) => reach >= threshold)) return undefined;
  const best = asked.reduce((most, one) => (one.reach > most.reach ? one : most));
  return {
    why:
      `its evidence reaches e^${best.reach.toFixed(1)} at most with so many samples, ` +
      `and rejects at e^${best.threshold.toFixed(1)}`,
    asked: asked.length,
  };
}

/** The finding at other parameters; none where the law or its cell does not apply. */
async function checkedElsewhere<K extends SubjectKind>(
  law: Law<K>,
  subject: Subject<K>,
  { name }: Cell,
  options: RunOptions,
): Promise<Finding | undefined> {
  try {
    if (law.exempt?.(subject) !== undefined) return undefined;
    const cell = law.cells === undefined ? { name } : law.cells(subject).find((one) => one.name === name);
    const { effort = 1 } = options;
    return cell && (await checked(law, subject, cell, { ...options, effort: effort * effortElsewhere }));
  } catch (error) {
    return fails(1, thrown(error));
  }
}

/**
 * The environment of a check: independent streams, its false-alarm probability, and a search that can be
 * replayed.
 *
 * @param name - Ids of the law and of its subject.
 */
export function environmentOf(
  { law, subject = '' }: { readonly law: string; readonly subject?: string },
  {
    seed = defaultSeed,
    alpha = defaultAlpha,
    effort = 1,
    progress,
  }: Pick<RunOptions, 'seed' | 'alpha' | 'effort' | 'progress'> = {},
  cell: Cell = { name: '' },
): LawEnv {
  const root = streamOf({ seed: String(seed), law, subject, cell: cell.name });
  const samples = (count: number): number => Math.max(1, Math.ceil(count * effort));
  return {
    cell,
    alpha,
    samples,
    random: (label) => root.fork(label),
    forAll: (inputs, check, { runs = 100, examples = [] } = {}) =>
      searchForViolation(inputs, check, {
        runs: samples(runs) + examples.length,
        examples,
        random: root,
        progress,
      }),
  };
}

/** Plans and runs all laws on a subject, in order. */
export async function runLaws<K extends SubjectKind>(
  laws: readonly Law<K>[],
  subject: Subject<K>,
  options: RunOptions = {},
): Promise<readonly LawReport[]> {
  const reports: LawReport[] = [];
  for (const planned of planChecks(laws, subject, options)) reports.push(await runCheck(planned, options));
  return reports;
}

/** The probability of any false alarm in a run of these checks. */
export const falseAlarmProbability = (reports: readonly Pick<LawReport, 'alpha'>[]): number =>
  reports.reduce((sum, { alpha }) => sum + alpha, 0);
