import type { Optimizer } from '@lethe/core';
import { defineClaimCheck, type ClaimCheck, type Violation } from '@lethe/laws';
import { clippedMean, coordinateMedianOfMeans, gaussian, l2Clip } from '@lethe/mechanisms';
import { defined } from '@lethe/numerics';
import fc from 'fast-check';
import { both, differs, exceeds, firstOf, tried } from '../../common/compare.js';
import { tenTo } from '../../common/inputs.js';
import { curated, members, rhoOf, type Curated, type CuratedRun, type Release } from '../curated.js';
import type { OracleSubject } from './subject.js';

/** Number of uses of each record in a run: once, or in all rounds of a phase. */
interface Case extends CuratedRun {
  readonly what: string;
  readonly reads: 'once' | 'all' | 'phases';
}

const clipped = clippedMean({ clip: l2Clip({ radius: 1 }), mechanism: gaussian({}) });
const median = coordinateMedianOfMeans({ limit: 1, groups: 3 });
/** Every method, by the means it can be run with; 3 rounds do not divide 16 records. */
function cases(subject: OracleSubject): readonly Case[] {
  const onePass = [
    { optimizer: subject.noisyClippedAcSa, what: 'accelerated steps' },
    { optimizer: subject.noisyClippedSgd, what: 'gradient steps' },
    { optimizer: subject.noisyClippedProximalSgd, what: 'proximal steps' },
  ] as readonly { readonly optimizer: unknown; readonly what: string }[];
  return [
    ...onePass.flatMap(({ optimizer, what }) => [
      ...[1, 3, 4, 7].map((rounds) => ({
        optimizer: optimizer as Optimizer,
        what: `${rounds} ${what} by clipped means`,
        records: 16,
        params: { rounds, mean: clipped },
        reads: 'once' as const,
      })),
      {
        optimizer: optimizer as Optimizer,
        what: `${what} by medians of means`,
        records: 18,
        params: { rounds: 2, mean: median },
        reads: 'once' as const,
      },
    ]),
    ...[0, 2].map((strength) => ({
      optimizer: subject.noisyClippedSubgradient as Optimizer,
      what: `5 subgradient steps, λ = ${strength}`,
      records: 6,
      params: { rounds: 5, stepSize: 0.5, strength, clipNorm: 0.7 },
      reads: 'all' as const,
    })),
    {
      optimizer: subject.localizedSubgradient as Optimizer,
      what: 'localised steps',
      records: 16,
      params: { mostRounds: 6 },
      reads: 'phases',
    },
    {
      optimizer: subject.localizedStronglyConvex as Optimizer,
      what: 'localised steps on blocks',
      records: 32,
      params: { mostRounds: 4 },
      reads: 'phases',
    },
  ];
}

interface Asked {
  readonly clipNorm: number;
  readonly groups: number | null;
}
/** The clip norm and the groups of a release, as it was asked for. */
function releaseParams({ query: { mean } }: Release): Asked {
  const {
    clip,
    limit = Number.NaN,
    groups = null,
  } = mean.params as {
    clip?: { readonly params: { readonly radius: number } };
    limit?: number;
    groups?: number;
  };
  return { clipNorm: clip?.params.radius ?? limit, groups };
}

const roundsOn = ({ releases }: Curated, batch: string): number =>
  releases.filter(({ query }) => query.batch.id === batch).length;
/** The printed noise variance of a release, from the ε for which the whole run costs ε²/2. */
function printedVariance(
  { noiseVariances }: OracleSubject,
  run: Curated,
  { reads, records, features }: Case,
  release: Release,
): number {
  const { clipNorm, groups } = releaseParams(release);
  const { batch } = release.query;
  const s = batch.normaliser;
  const setting = {
    clipNorm,
    epsilon: Math.sqrt(2 * rhoOf(run.event)),
    records: s,
    all: records,
    rounds: records / s,
    dimension: features?.[0].length ?? records,
    groups: groups ?? 1,
  };
  if (groups !== null) return noiseVariances.medianOfMeans(setting);
  if (reads !== 'once')
    return noiseVariances.multiPass({ ...setting, all: s, rounds: roundsOn(run, batch.id) });
  return Number.isInteger(setting.rounds) ? noiseVariances.onePass(setting) : noiseVariances.mean(setting);
}

/** Row C3. */
export const noiseCalibration = (subject: OracleSubject): ClaimCheck =>
  defineClaimCheck({
    id: 'lowy/noise-calibration',
    tier: 'exact',
    statement:
      'with the ε for which a run costs ε²/2 in its ledger, the noise that a curator adds has the variance ' +
      'printed: 4C²/(s²ε²) for a batch of s records, 4C²T²/(ε²n²) for T batches of one pass, 4C²T/(n²ε²) ' +
      'for T passes, 4τ²m²d/(s²ε²) for medians of means; every release is charged what its noise costs',
    power:
      'a relative error of 1e-9 of the noise of any release of 19 runs: ' +
      'three methods of one pass by two means at rounds that divide the ' +
      'records and some that do not, full passes, phases and blocks of phases',
    run: () =>
      tried(
        cases(subject).map((one, index) => ({ index, what: one.what })),
        ({ index, what }) => {
          const one = cases(subject)[index];
          const run = curated(subject, one);
          const planned = rhoOf(run.run.plan.event);
          const spent = rhoOf(run.event);
          if (run.releases.length === 0) return { what: `${what} release nothing` };
          const perBatch = new Map<string, number>();
          for (const release of run.releases) {
            const { clipNorm, groups } = releaseParams(release);
            const s = release.query.batch.normaliser;
            const size = one.records;
            const sensitivity =
              groups === null ? (2 * clipNorm) / s : (2 * clipNorm * groups * Math.sqrt(size)) / s;
            perBatch.set(
              release.query.batch.id,
              (perBatch.get(release.query.batch.id) ?? 0) + sensitivity ** 2 / (2 * release.scale ** 2),
            );
          }
          return firstOf([
            ...run.releases.map((release, i) =>
              differs({
                what: `the variance of release ${i} of ${what}`,
                got: release.scale ** 2,
                want: printedVariance(subject, run, one, release),
                tolerance: 1e-9,
              }),
            ),
            differs({
              what: `the ρ of ${what}, by its noise`,
              got: Math.max(...perBatch.values()),
              want: spent,
              tolerance: 1e-9,
            }),
            differs({ what: `the ρ of ${what}, as planned`, got: planned, want: spent, tolerance: 1e-9 }),
          ]);
        },
      ),
  });

/** Row C3, as printed. */
export const noiseCalibrationPrinted = (subject: OracleSubject): ClaimCheck =>
  defineClaimCheck({
    id: 'lowy/noise-calibration-printed',
    tier: 'exact',
    statement:
      'as printed: noise of variance 4C²T²/(ε²n²) makes each of T batches of ⌊n/T⌋ records cost ε²/2 at most',
    run: () =>
      tried(
        [
          { all: 15, rounds: 3 },
          { all: 16, rounds: 3 },
        ],
        ({ all, rounds }) => {
          const epsilon = 1;
          const clipNorm = 1;
          const records = Math.floor(all / rounds);
          const variance = subject.noiseVariances.onePass({
            clipNorm,
            epsilon,
            records,
            all,
            rounds,
            dimension: 1,
            groups: 1,
          });
          return exceeds({
            what: `the ρ of a batch of ${records} records of ${all}`,
            got: subject.shiftedRenyi({
              alpha: 1,
              shift: defined(
                subject.ballMean.sensitivity({ radius: clipNorm }, { dimension: 1, slots: records })[
                  'replace-one'
                ],
              ),
              variance,
            }),
            most: epsilon ** 2 / 2,
          });
        },
      ),
  });

/** Number of released batches that contain each record. */
function usesOf(run: Curated, records: number): number[] {
  const uses = Array.from({ length: records }, () => 0);
  for (const release of run.releases) for (const i of members(release)) uses[i]++;
  return uses;
}
const disjoint = (run: Curated): boolean => {
  const owners = new Map<number, string>();
  return run.releases.every((release) =>
    members(release).every((i) => {
      const owner = owners.get(i) ?? release.query.batch.id;
      owners.set(i, owner);
      return owner === release.query.batch.id;
    }),
  );
};

/** Row C7. */
export const ledgers = (subject: OracleSubject): ClaimCheck =>
  defineClaimCheck({
    id: 'lowy/ledgers',
    tier: 'search',
    statement:
      'a curator charges the sum of ρ for releases on the same records and the largest for disjoint ' +
      'batches, and the methods use records as their costs say: those of one pass each record once at ' +
      'most, full passes each record in every round, phases n − 1 records of a power of two, n_i of them ' +
      'in all T_i rounds of phase i, none in two phases',
    power:
      'a record used once more or less, in any of 16 runs that show who was in each release; a relative ' +
      'error of 1e-9 of a composed ρ, over 40 compositions',
    run: (env) =>
      both(
        () =>
          tried(
            cases(subject)
              .filter(({ params }) => params['mean'] !== median)
              .map((one, index) => ({ index, what: one.what })),
            ({ index, what }): Violation | undefined => {
              const one = cases(subject).filter(({ params }) => params['mean'] !== median)[index];
              const run = curated(subject, one);
              const uses = usesOf(run, one.records);
              const most = Math.max(...uses);
              const wrong = (why: string, measured: number, allowed: number): Violation => ({
                what: `${what}: ${why}`,
                measured,
                allowed,
                input: { uses },
              });
              if (one.reads === 'once') {
                if (most > 1) return wrong('a record is used more than once', most, 1);
                if (
                  uses.reduce((sum, times) => sum + times, 0) ===
                  run.releases.reduce((sum, { query }) => sum + query.batch.normaliser, 0)
                )
                  return undefined;
                return wrong(
                  'a batch has not as many records as its mean is divided by',
                  uses.reduce((sum, times) => sum + times, 0),
                  one.records,
                );
              }
              if (one.reads === 'all')
                return uses.every((times) => times === run.releases.length)
                  ? undefined
                  : wrong('a record is not used in every round', Math.min(...uses), run.releases.length);
              if (!disjoint(run)) return wrong('a record is in two phases', 2, 1);
              const odd = run.releases.find(
                (release) => members(release).length !== release.query.batch.normaliser,
              );
              if (odd !== undefined)
                return wrong(
                  'a round leaves out records of its phase',
                  members(odd).length,
                  odd.query.batch.normaliser,
                );
              const used = uses.filter((times) => times > 0).length;
              const phases = [
                ...new Map(run.releases.map(({ query: { batch } }) => [batch.id, batch.normaliser])).values(),
              ];
              if (used !== phases.reduce((sum, size) => sum + size, 0))
                return wrong('phases have not as many records as their sizes say', used, one.records);
              const halves = phases.every(
                (size, i) => i === 0 || size * 2 === phases[i - 1] || phases[i - 1] === 1,
              );
              return halves && (what !== 'localised steps' || used === one.records - 1)
                ? undefined
                : wrong('phases do not halve the records down to one', used, one.records - 1);
            },
          ),
        () =>
          env.forAll(
            fc.array(fc.record({ rho: tenTo(-4, 0), count: fc.integer({ min: 1, max: 5 }) }), {
              minLength: 1,
              maxLength: 5,
            }),
            (parts) => {
              const event = (rho: number) => ({ kind: 'core/zcdp', v: 1, rho }) as const;
              return firstOf([
                differs({
                  what: 'the ρ of releases on the same records',
                  got: rhoOf(
                    subject.countedEvent(parts.map(({ rho, count }) => ({ event: event(rho), count }))),
                  ),
                  want: parts.reduce((sum, { rho, count }) => sum + rho * count, 0),
                  tolerance: 1e-9,
                }),
                differs({
                  what: 'the ρ of releases on disjoint records',
                  got: rhoOf(subject.parallelEvent(parts.map(({ rho }) => event(rho)))),
                  want: Math.max(...parts.map(({ rho }) => rho)),
                  tolerance: 1e-9,
                }),
              ]);
            },
            { runs: 40 },
          ),
      ),
  });
