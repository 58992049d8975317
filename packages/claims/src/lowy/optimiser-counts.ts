import { attachData, centralCurator, driveSync, openLedger, seededRandom, type Fact, type Optimizer, type Problem, type Run } from '@lethe/core';
import { defineClaimCheck, type ClaimCheck } from '@lethe/laws';
import { squaredDistance } from '@lethe/losses';
import { l2BallDomain, mechanisms } from '@lethe/mechanisms';
import { firstOf, tried } from '../common/compare.js';
import { above, differs, first } from '../common/judging.js';
import { noCalibration } from '../maranjyan/no-calibration.js';
import type { OptimiserSubject } from './optimiser-subject.js';

const declared = (value: number): Fact => ({ value, scope: 'population', provenance: 'declared' });
const facts = {
  smoothness: { value: 1, scope: 'every-record', provenance: 'declared' } as const,
  ...Object.fromEntries(['populationSmoothness', 'populationStrongConvexity', 'strongConvexity', 'proximalPolyakLojasiewicz', 'populationLipschitz', 'startGap', 'startDistance', 'diameter'].map((name) => [name, declared(1)])),
  ...Object.fromEntries(['gradientMoment', 'uniformGradientMoment'].flatMap((name) => [2, 4].map((order) => [`${name}.${order}`, declared(2)]))),
};

/** What a run asked of its curator. */
interface Counted { readonly evaluations: number; readonly means: number; readonly plan: Readonly<Record<string, unknown>> }

const reference = squaredDistance({}), columns = 2;
/** An optimizer on so many records in two dimensions, everything declared; with noise of twice the sensitivity, as nothing here depends on it. */
export function prepared(optimizer: Optimizer, params: Readonly<Record<string, unknown>>, records: number): Run {
  const problem: Problem<never> = {
    adjacency: 'replace-one', trust: { model: 'central' }, dimension: columns, slots: [records], domain: l2BallDomain({ radius: 1 }), loss: reference, capabilities: squaredDistance.capabilities as never, facts,
  };
  return optimizer.prepare({ problem, budget: { epsilon: 1, delta: 1e-5 }, params: { noiseMultiplier: 2, ...params }, calibrate: noCalibration, random: seededRandom('coins of a count') });
}

/** Runs an optimizer against a curator whose loss counts the gradients it is asked for. */
function counted(optimizer: Optimizer, params: Readonly<Record<string, unknown>>, records: number): Counted {
  let evaluations = 0, means = 0;
  const loss = {
    ...squaredDistance, name: squaredDistance.name,
    gradientInto(...given: Parameters<typeof squaredDistance.gradientInto>): void {
      evaluations++;
      squaredDistance.gradientInto(...given);
    },
  };
  const registry = [...mechanisms, loss], ledger = openLedger({ adjacency: 'replace-one' }), run = prepared(optimizer, params, records);
  const features = Float64Array.from({ length: columns * records }, (_, i) => (i * 7 % 11 - 5) / 4);
  const data = attachData({ features: { data: features, rows: records, columns, offset: 0, rowStride: columns, columnStride: 1 }, loss: reference, registry: registry as never, ledger });
  const curator = centralCurator({ data, registry: registry as never, run: 'count', random: seededRandom('noise of a count') });
  driveSync(run, curator, { start: new Float64Array(columns), random: seededRandom('coins of a count'), observe: ({ ask }) => { if (ask === 'mean') means++; } });
  return { evaluations, means, plan: run.plan as unknown as Counted['plan'] };
}

interface Case { readonly what: string; readonly optimizer: keyof OptimiserSubject; readonly records: number; readonly params: Readonly<Record<string, unknown>> }
const sizes = [16, 37, 64];
const onePass: readonly Case[] = (['noisyClippedAcSa', 'noisyClippedSgd', 'noisyClippedProximalSgd'] as const).flatMap((optimizer) => sizes.flatMap((records) => [{}, { rounds: 1 }, { rounds: 5 }, { rounds: 15 }, { rounds: 5, schedule: 'printed' }].map((params) => (
  { what: `${optimizer} on ${records} records, ${JSON.stringify(params)}`, optimizer, records, params }))));
const wholePasses: readonly Case[] = sizes.flatMap((records) => [1, 7].map((rounds) => ({ what: `${rounds} rounds on ${records} records`, optimizer: 'noisyClippedSubgradient', records, params: { rounds, stepSize: 0.5, strength: 0.5, clipNorm: 1 } })));
const localized: readonly Case[] = (['localizedSubgradient', 'localizedStronglyConvex'] as const).flatMap((optimizer) => sizes.flatMap((records) => [{ mostRounds: 9 }, { mostRounds: 3, schedule: 'printed' }, { mostRounds: 5, variant: 'subsampled' }].map((params) => (
  { what: `${optimizer} on ${records} records, ${JSON.stringify(params)}`, optimizer, records, params }))));

interface Phase { readonly records: number; readonly rounds: number }
/** Row C59. */
export const gradientCounts = (subject: OptimiserSubject): ClaimCheck => defineClaimCheck({
  id: 'lowy/gradient-counts', tier: 'exact',
  statement: 'Counted in whole runs: Algorithms 2, 6 and 8 evaluate at most n gradients, T or T + 1 batches of equal size, Algorithm 3 nT, Algorithm 4 and the wrapper around it Σ n_iT_i over phases of fewer than n records together, and their subsampled variant no more; the plans say how many.',
  power: 'One gradient too many.',
  run: () => tried([...onePass, ...wholePasses, ...localized].map(({ what }, index) => ({ what, index })), ({ what, index }) => {
    const { optimizer, params, records } = [...onePass, ...wholePasses, ...localized][index], { evaluations, means, plan } = counted(subject[optimizer] as unknown as Optimizer, params, records), planned = plan['gradients'] as number;
    if (params['variant'] === 'subsampled') return first(above(`the gradients of ${what}`, evaluations, planned, 0), above('0, against their number', 1, evaluations, 0));
    const exact = differs(`the gradients of ${what}, from its plan`, evaluations, planned);
    if (index < onePass.length) return first(exact, above(`the gradients of ${what}`, evaluations, records, 0), above('n less one of each batch, against the gradients', records - means, evaluations, 0));
    if (index < onePass.length + wholePasses.length) return first(exact, differs(`the gradients of ${what}`, evaluations, records * (params['rounds'] as number)));
    const phases = plan['phases'] as readonly Phase[];
    return firstOf([exact, differs(`the gradients of ${what}, from its phases`, evaluations, phases.reduce((sum, phase) => sum + phase.records * phase.rounds, 0)), above('the records of all phases', phases.reduce((sum, phase) => sum + phase.records, 0), records - 1, 0)]);
  }),
});
