import { eventKindsOf, type Budget, type Run } from '@lethe/core';
import { defined } from '@lethe/numerics';
import { claimedProfile } from '../../divergence/claimed-profile.js';
import { audit as auditOutputs } from '../../engines/audit.js';
import { atomWitness, projections } from '../../evidence/index.js';
import { skipped } from '../../law/finding.js';
import { defineLaw } from '../../law/law.js';
import type { Subject } from '../../law/subject.js';
import { attempt } from '../sampler/declined.js';
import { neighboursOf, type Records } from './records.js';
import { outputsOn } from './runs.js';
import { budget, calibrateFor, exempt, planned, settingOf, underEach, type Setting } from './settings.js';

/** Much noise: what is claimed is little, so that few pairs show an output that tells more. */
const tight: Budget = { epsilon: 0.25, delta: 1e-5 };

/**
 * Witnesses that bet after a few pairs, on which side of a middle an output lies; the usual ones begin to
 * after 200, but for atoms.
 */
const early = { bins: 2, warmUp: 8 };

/** The optimizer planned for that, or else for the usual budget. */
function auditedRun(subject: Subject<'optimizer'>, { problem }: Setting): Run {
  // Of the calibrations that optimizer/within-budget has made.
  const calibrate = calibrateFor(subject.registry, 1e-9);
  const { value } = attempt(() => planned(subject, problem, { budget: tight, calibrate })) as {
    readonly value?: Run;
  };
  return value ?? planned(subject, problem);
}

/** The whole run, seen from outside. */
export const audit = defineLaw<'optimizer'>({
  id: 'optimizer/hockey-stick',
  kind: 'optimizer',
  tier: 'statistical',
  invariant: 'I-2',
  statement:
    'outputs on neighbours, a canary against a crowd at rest, are no easier to tell apart than the ' +
    'plan’s event allows, at six ε and in both orders',
  power:
    'an output that tells one record outright, within 60 pairs where little is claimed; ' +
    'the exact laws of the kind find what is smaller',
  exempt,
  cells: underEach,
  check: (subject, env) => {
    const setting = settingOf(subject, defined(env.cell.adjacency));
    if ('why' in setting) return skipped(`it could not be planned: ${setting.why}; see optimizer/runs`);
    const run = auditedRun(subject, setting);
    const [here, there] = canaries(setting);
    const { delta } = claimedProfile(
      run.plan.event,
      setting.problem.adjacency,
      eventKindsOf(subject.registry),
    );
    // The usual witnesses begin after 200 pairs, and as many more runs tell less than the exact laws do.
    const most = 200;
    const pairs = env.samples(most);
    const on = [outputsOn(subject, setting, run, here), outputsOn(subject, setting, run, there)] as const;
    return auditOutputs({
      draw: (neighbour, randomness) => on[neighbour](`coins ${randomness.bits53()} ${randomness.bits53()}`),
      profile: delta,
      epsilons: [0.01, 0.1, 0.5, 1, 2, budget.epsilon],
      witnesses: (dimension) => [...projections(dimension, early), atomWitness()],
      pairs,
      most,
      alpha: env.alpha,
      random: env.random('audit'),
    });
  },
});

/** One record far from a crowd that stands still, and the same without it, as the adjacency has it. */
function canaries({
  slots,
  dimension,
  labels,
  problem: { adjacency },
}: Setting): readonly [Records, Records] {
  const record = (length: number, label: number) => ({
    features: Array.from({ length: dimension }, (_, j) => (j === 0 ? length : 0)),
    label,
  });
  const crowd: Records = Array.from({ length: slots }, (_, i) =>
    i === Math.min(3, slots - 1) ? record(1, labels[0]) : record(0, labels[0]),
  );
  return [crowd, neighboursOf(adjacency, crowd, labels)[0][1]];
}
