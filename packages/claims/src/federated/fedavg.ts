import { gaussianEvent, repeatedEvent, sameEvent, sampledEvent, type Owners, type Query } from '@lethe/core';
import { defineClaimCheck, judge, type ClaimCheck } from '@lethe/laws';
import { clippedMean, gaussian, l2BallDomain, l2Clip } from '@lethe/mechanisms';
import { each } from '../common/each.js';
import { above, differs, first } from '../common/judging.js';
import { distance } from '../recursive-gradients/paths.js';
import { driveSilos, fedAvgRun, type Records, type SiloPath, type Silos } from './silo-runs.js';
import type { FederatedSubject } from './subject.js';

const silos: Silos = { dimension: 2, records: [each(8, (i) => [i / 10, 0.1])] };
const radius = 0.25;
const rounds = 3;
const rate = 0.5;
const noiseMultiplier = 2;
const relative = { 'replace-one': 1, 'add-remove': 0.5, 'zero-out': 0.5 };

/** Records of each owner, and of one that counts whole where owners have weights. */
const [ownRecords, fullRecords] = [3, 4];
const meanWeight = ownRecords / fullRecords;

/** A server that asks once for local updates of all slots, without noise. */
const script =
  (weights: { readonly fullRecords?: number }) =>
  ({ allRecords }: { readonly allRecords: { readonly id: string } }): readonly Query[] =>
    [
      {
        ask: 'localUpdate',
        from: new Float64Array(2),
        local: { domain: l2BallDomain({ radius: 1 }), epochs: 5, batchSize: 1, stepSize: 0.9 },
        batch: allRecords,
        mean: clippedMean({ clip: l2Clip({ radius }), mechanism: gaussian({}) }),
        target: { unprotected: true },
        ...weights,
      },
    ] as unknown as readonly Query[];

/** The largest distance of a point from the one before with what was told since, and projection. */
function strayed({ rounds: path, output }: SiloPath, factor: number): number {
  const points = [...path.map(({ points: [at] }) => at), output];
  return Math.max(
    ...path.map(({ told }, t) => {
      const moved = told.map((one, j) => points[t][j] + factor * one);
      const scale = Math.min(1, 1 / Math.hypot(...moved));
      return distance(
        points[t + 1],
        moved.map((one) => scale * one),
      );
    }),
  );
}

/** Row 77: what the baseline costs. */
export function fedAvgChecks(subject: FederatedSubject): readonly ClaimCheck[] {
  const { gdp, noiseSplit } = subject;
  /** Four owners; records of the last one are `last`. */
  const told = (last: number, weights = {}): readonly number[] => {
    const records: Records = each(12, (row) => (row < 9 ? [0.1, row / 20] : [last, last]));
    const owners: Owners = {
      of: Uint32Array.from({ length: 12 }, (_, row) => Math.floor(row / ownRecords)),
      slots: 4,
      most: ownRecords,
    };
    return driveSilos(subject, null, silos, { script: script(weights), owned: { records, owners } }).rounds[0]
      .told;
  };
  return [
    defineClaimCheck({
      id: 'reshef-levy/fedavg-cost',
      tier: 'exact',
      statement:
        'DP-FedAvg is planned and charged as T Poisson-sampled Gaussians of its multiplier; all ' +
        'records of one ' +
        'owner together move an average of local updates by 2S/N at most, which opposite owners ' +
        'attain, however ' +
        'many steps they take; with a clip norm that adapts, counts and updates cost what one Gaussian ' +
        'does; where owners weigh min(n_u/n̂, 1) the cost is the same, an owner moves the average by that ' +
        'share of 2S/N, and the point moves by the average over the public mean weight W/N',
      power: 'noise on updates that leaves nothing for the counts; averages over slots that count less',
      run() {
        const params = { rounds, rate, localStep: 0.5, clipNorm: radius, noiseMultiplier };
        const run = fedAvgRun(subject, silos, params);
        const weighed = fedAvgRun(subject, silos, { ...params, fullRecords, meanWeight });
        const wanted = repeatedEvent(
          sampledEvent({ kind: 'core/poisson', rate }, gaussianEvent(noiseMultiplier, relative)),
          rounds,
        );
        const path = driveSilos(subject, run, silos);
        const weighedPath = driveSilos(subject, weighed, silos);
        const isWanted = [run, weighed]
          .map(({ plan }) => plan.event)
          .concat(path.charged[0], weighedPath.charged[0])
          .every((event) => sameEvent(event, wanted));
        const moved = distance(told(0.9), told(-0.9));
        const movedLess = distance(told(0.9, { fullRecords }), told(-0.9, { fullRecords }));
        const countMultiplier = 10 * noiseMultiplier;
        const split = noiseSplit({ noiseMultiplier, countMultiplier });
        const muOf = (multiplier: number): number => 1 / multiplier;
        const together = Math.hypot(muOf(split), muOf(countMultiplier));
        const at = { adjacency: 'replace-one', epsilon: 1 } as const;
        const both = repeatedEvent(gaussianEvent(1 / together, relative), 1);
        return judge(
          5,
          first(
            above('a plan or a charge of another event', isWanted ? 0 : 1, 0, 0),
            differs('what the records of one owner move the average by', moved, (2 * radius) / 4, 1e-9),
            differs('the same with weights', movedLess, (meanWeight * 2 * radius) / 4, 1e-9),
            above('how far a point is from its update', strayed(path, 1), 0, 1e-9),
            above('the same with weights', strayed(weighedPath, 1 / meanWeight), 0, 1e-9),
            above('the level of counts and updates together', together, muOf(noiseMultiplier)),
            above('what noise is left over', muOf(noiseMultiplier) * (1 - 1e-9), together),
            above(
              'δ of counts and updates together',
              gdp.delta(both, at).upper,
              gdp.delta(gaussianEvent(noiseMultiplier, relative), at).upper,
            ),
          ),
        );
      },
    }),
  ];
}
