import { environmentOf, fails, lawsFor, planChecks, runCheck, type Finding, type Law, type PlannedCheck, type Subject, type SubjectKind, type Tier } from '@lethe/laws';
import fc from 'fast-check';
import type { Mutant, Tight } from './mutant.js';

/** How one mutant ended under one seed. */
export interface Death {
  readonly id: string;
  readonly seed: string;
  /** The law that found it within the samples it names, and the least samples any took; `null` for a survivor. */
  readonly law: string | null;
  readonly samples: number;
  /** What the survivor was spared by: laws that held, were exempt, or took too many samples. */
  readonly spared: readonly string[];
}

// What matters here is that an input is found and after how many, not the smallest such input.
fc.configureGlobal({ ...fc.readConfigureGlobal(), endOnFailure: true });

/**
 * Runs the laws a mutant names until one finds it.
 *
 * @param effort - Part of the inputs and draws. @defaultValue 1
 */
export async function kill(mutant: Mutant, seed: string, effort = 1): Promise<Death> {
  const spared: string[] = [];
  for (const planned of checksOf(mutant.plant(), mutant.killedBy)) {
    const finding = await findingOf(planned, seed, effort), law = planned.law.id;
    if (finding.verdict === 'fails' && finding.samples <= mutant.within) return { id: mutant.id, seed, law, samples: finding.samples, spared };
    spared.push(`${law} (${planned.cell.name || 'only cell'}): ${finding.verdict === 'skipped' ? finding.why : `${finding.verdict} after ${finding.samples}`}`);
  }
  return { id: mutant.id, seed, law: null, samples: 0, spared: spared.length === 0 ? [`no law of ${mutant.killedBy.join(', ')} speaks of it`] : shortened(spared) };
}

/** The verdict of `runCheck` and its samples; that looks at a violation twice to word it, which changes neither. */
async function findingOf(planned: PlannedCheck, seed: string, effort: number): Promise<Finding> {
  const { law, subject, cell, skipped, broken } = planned;
  if (skipped !== undefined || broken !== undefined) return (await runCheck(planned, { seed, effort })).finding;
  try {
    return await law.check(subject, environmentOf({ law: law.id, subject: subject.name }, { seed, effort }, cell));
  } catch (error) {
    return fails(1, { what: String(error), cause: error });
  }
}

const shortened = (lines: readonly string[], most = 5): readonly string[] => (lines.length <= most ? lines : [...lines.slice(0, most), `and ${lines.length - most} more`]);

/** How correct subjects are tried. */
export interface TightOptions { readonly tiers?: readonly Tier[]; readonly effort?: number }

/** Laws that reject a correct subject; there must be none. */
export async function rejections(tight: Tight, seed: string, { tiers = everyTier, effort = 1 }: TightOptions = {}): Promise<readonly string[]> {
  const wrong: string[] = [];
  for (const planned of checksOf(tight.plant(), undefined, tiers)) {
    const { finding, law, cell } = await runCheck(planned, { seed, effort });
    if (finding.verdict === 'fails') wrong.push(`${law} (${cell || 'only cell'}): ${finding.violation.what}`);
  }
  return wrong;
}

const everyTier: readonly Tier[] = ['exact', 'search', 'statistical', 'nightly'];

function checksOf(subject: Subject, only?: readonly string[], tiers = everyTier): readonly PlannedCheck[] {
  const laws = lawsFor(subject.kind) as readonly Law<SubjectKind>[];
  return planChecks(laws, subject, { tiers, ...(only === undefined ? {} : { only }) });
}
