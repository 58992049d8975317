import { calibrator, gdp } from '@lethe/accountants';
import { attachData, centralCurator, driveSync, openLedger, resolveEvent, seededRandom, type Fact, type MeanQuery, type Optimizer, type PrivacyEvent, type Problem, type Query, type Run, type Vector } from '@lethe/core';
import { linear } from '@lethe/losses';
import { l2BallDomain, mechanisms } from '@lethe/mechanisms';
import type { OracleSubject } from './oracle-subject.js';

/** A release as the curator made it: value before noise, and the standard deviation of the noise. */
export interface Release { readonly value: Vector; readonly scale: number; readonly query: MeanQuery }
/** A run as its curator saw it. */
export interface Curated { readonly run: Run; readonly releases: readonly Release[]; readonly rho: number; readonly event: PrivacyEvent; readonly output: Vector }

const declared = (value: number): Fact => ({ value, scope: 'population', provenance: 'declared' });
const facts = {
  smoothness: { value: 1, scope: 'every-record', provenance: 'declared' } as const,
  ...Object.fromEntries(['populationSmoothness', 'populationStrongConvexity', 'proximalPolyakLojasiewicz', 'populationLipschitz', 'startGap', 'diameter'].map((name) => [name, declared(1)])),
  ...Object.fromEntries(['gradientMoment', 'uniformGradientMoment', 'coordinateGradientMoment'].flatMap((name) => [2, 4].map((order) => [`${name}.${order}`, declared(1)]))),
};

/** What is run: an optimizer at parameters, a problem of as many dimensions as records, and perhaps a regulariser. */
export interface CuratedRun { readonly optimizer: Optimizer; readonly params: Readonly<Record<string, unknown>>; readonly records: number; readonly regulariser?: Problem['regulariser']; readonly features?: readonly (readonly number[])[]; readonly silent?: boolean }

/** Record `i` is the unit vector `e_i`, with the affine loss `−⟨w, x⟩`: clipped or not, the mean of a batch shows who is in it. */
const units = (count: number): readonly (readonly number[])[] => Array.from({ length: count }, (_, i) => Array.from({ length: count }, (_2, j) => Number(i === j)));

/** Runs an optimizer against a curator whose Gaussian mechanism tells what it is given; `silent` leaves the noise out. */
export function curated(subject: OracleSubject, { optimizer, params, records, regulariser, features = units(records), silent = false }: CuratedRun): Curated {
  const releases: Omit<Release, 'query'>[] = [], queries: MeanQuery[] = [], { gaussian } = subject, columns = features[0].length;
  const telling = {
    ...gaussian,
    addNoise(given: Record<string, never>, value: Vector, scale: number, random: ReturnType<typeof seededRandom>): void {
      releases.push({ value: value.slice(), scale });
      if (!silent) gaussian.addNoise(given, value, scale, random);
    },
  };
  const loss = linear({}), registry = [telling, ...mechanisms.filter(({ name, kind }) => name !== 'gaussian' || kind !== 'mechanism'), subject.clippedGaussian, subject.coordinateMedianOfMeans, subject.l2Clip, linear];
  const problem: Problem<never> = {
    adjacency: 'replace-one', trust: { model: 'central' }, dimension: columns, slots: [records], domain: l2BallDomain({ radius: 1 }), loss,
    capabilities: linear.capabilities as never, facts, ...(regulariser === undefined ? {} : { regulariser }),
  };
  const run = optimizer.prepare({ problem, budget: { epsilon: 1, delta: 1e-5 }, params, calibrate: calibrator([gdp]), random: seededRandom('coins of a claim') });
  const ledger = openLedger({ adjacency: 'replace-one' }), data = attachData({ features: { data: Float64Array.from(features.flat()), rows: records, columns, offset: 0, rowStride: columns, columnStride: 1 }, loss, registry, ledger });
  const curator = centralCurator({ data, registry, run: 'claim', random: seededRandom('noise of a claim') });
  const { output } = driveSync(run, curator, { start: new Float64Array(columns), random: seededRandom('coins of a claim'), observe: (query: Query) => { if (query.ask === 'mean') queries.push(query); } });
  const event = ledger.spentBy('claim');
  return { run, releases: releases.map((release, i) => ({ ...release, query: queries[i] })), event, output, rho: resolveEvent(event, 'zcdp', { adjacency: 'replace-one' }) };
}

/** Records in a release's batch, by the entries of their mean. */
export const members = ({ value }: Release): readonly number[] => Array.from(value, (entry, i) => (entry === 0 ? -1 : i)).filter((i) => i >= 0);
