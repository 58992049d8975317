import {
  findingOf,
  lawsFor,
  planChecks,
  runCheck,
  type Law,
  type PlannedCheck,
  type Subject,
  type SubjectKind,
  type Tier,
} from '@lethe/laws';
import fc from 'fast-check';
import { kindEfforts, lawEfforts } from '../../conformance/test/laws/efforts.js';
import type { Mutant, Tight } from './mutant.js';

/** Result of one mutant under one seed. */
export interface Death {
  readonly id: string;
  readonly seed: string;
  /**
   * The law that detected it within the number of samples that the
   * mutant names, and the fewest samples; `null` for a survivor.
   */
  readonly law: string | null;
  readonly samples: number;
  /** Laws that failed to detect it: they passed, were exempt, or took too many samples. */
  readonly spared: readonly string[];
}

/** Part of the inputs and draws; `suite` is that of the suites on registered plugins in `npm test`. */
export type Effort = number | 'suite';

/**
 * Runs the laws that a mutant names, in the order in which it names them, until one detects it.
 *
 * @param effort - @defaultValue 1
 */
export async function kill(mutant: Mutant, seed: string, effort: Effort = 1): Promise<Death> {
  // Only the first counterexample and its number of samples matter, not the smallest counterexample.
  // Each file configures anew what the files of a worker share.
  fc.configureGlobal({ ...fc.readConfigureGlobal(), endOnFailure: true });
  const spared: string[] = [];
  const options =
    effort === 'suite' ? { effort: kindEfforts[mutant.kind] ?? 1, efforts: lawEfforts } : { effort };
  for (const planned of checksOf(await mutant.plant(), { only: mutant.killedBy, cell: mutant.cell })) {
    const finding = await findingOf(planned, { seed, ...options });
    const law = planned.law.id;
    if (finding.verdict === 'fails' && finding.samples <= mutant.within)
      return { id: mutant.id, seed, law, samples: finding.samples, spared };
    spared.push(
      `${law} (${planned.cell.name || 'only cell'}): ` +
        `${finding.verdict === 'skipped' ? finding.why : `${finding.verdict} after ${finding.samples}`}`,
    );
  }
  return {
    id: mutant.id,
    seed,
    law: null,
    samples: 0,
    spared: spared.length === 0 ? [`no law of ${mutant.killedBy.join(', ')} applies`] : shortened(spared),
  };
}

const shortened = (lines: readonly string[], most = 5): readonly string[] =>
  lines.length <= most ? lines : [...lines.slice(0, most), `and ${lines.length - most} more`];

/** Options for runs on correct subjects. */
export interface TightOptions {
  readonly tiers?: readonly Tier[];
  readonly effort?: number;
}

/** Laws that reject a correct subject; there must be none. */
export async function rejections(
  tight: Tight,
  seed: string,
  { tiers = everyTier, effort = 1 }: TightOptions = {},
): Promise<readonly string[]> {
  const wrong: string[] = [];
  for (const planned of checksOf(tight.plant(), { tiers })) {
    const { finding, law, cell } = await runCheck(planned, { seed, effort });
    if (finding.verdict === 'fails') wrong.push(`${law} (${cell || 'only cell'}): ${finding.violation.what}`);
  }
  return wrong;
}

const everyTier: readonly Tier[] = ['exact', 'search', 'statistical', 'nightly'];

function checksOf(
  subject: Subject,
  {
    only,
    cell,
    tiers = everyTier,
  }: {
    readonly only?: readonly string[];
    readonly cell?: string | undefined;
    readonly tiers?: readonly Tier[];
  },
): readonly PlannedCheck[] {
  const laws = lawsFor(subject.kind) as readonly Law<SubjectKind>[];
  const checks = planChecks(laws, subject, {
    tiers,
    ...(only === undefined ? {} : { only }),
    ...(cell === undefined ? {} : { cell }),
  });
  return only === undefined
    ? checks
    : checks.toSorted((one, other) => only.indexOf(one.law.id) - only.indexOf(other.law.id));
}
