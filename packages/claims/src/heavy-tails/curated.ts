import { calibrator, gdp, resolveEvent } from '@lethe/accountants';
import {
  driveSync,
  seededRandom,
  type Accountant,
  type Adjacency,
  type Budget,
  type Fact,
  type MeanQuery,
  type Optimizer,
  type PrivacyEvent,
  type Problem,
  type Query,
  type Ref,
  type Registry,
  type Run,
  type Vector,
} from '@lethe/core';
import { attachData, centralCurator, openLedger } from '@lethe/curator';
import { linear, type squaredDistance } from '@lethe/losses';
import {
  clippedMean,
  coordinateMedianOfMeans,
  gaussian,
  l2BallDomain,
  l2Clip,
  mechanisms,
} from '@lethe/mechanisms';

/** A release of the curator: value before noise, and standard deviation of the noise. */
export interface Release {
  readonly value: Vector;
  readonly scale: number;
  readonly query: MeanQuery;
}
/** A run, recorded by its curator. */
export interface Curated {
  readonly run: Run;
  readonly releases: readonly Release[];
  readonly event: PrivacyEvent;
  readonly output: Vector;
}

/** A fact of the population. */
export const declared = (value: number): Fact => ({ value, scope: 'population', provenance: 'declared' });
const ones: Problem['facts'] = {
  smoothness: { value: 1, scope: 'every-record', provenance: 'declared' } as const,
  ...Object.fromEntries(
    [
      'populationSmoothness',
      'populationStrongConvexity',
      'strongConvexity',
      'proximalPolyakLojasiewicz',
      'populationLipschitz',
      'startGap',
      'startDistance',
      'diameter',
    ].map((name) => [name, declared(1)]),
  ),
  ...Object.fromEntries(
    ['gradientMoment', 'uniformGradientMoment', 'coordinateGradientMoment'].flatMap((name) =>
      [2, 4].map((order) => [`${name}.${order}`, declared(1)]),
    ),
  ),
};

/** `−⟨w, x⟩`, or `½‖w − x‖²`. */
type Loss = typeof linear | typeof squaredDistance;
/** An optimizer with parameters, and the problem that it is planned for. */
export interface Prepared {
  readonly optimizer: Optimizer;
  readonly params: Readonly<Record<string, unknown>>;
  readonly records: number;
  readonly columns: number;
  readonly regulariser?: Problem['regulariser'] | undefined;
  readonly loss?: Loss;
  /** @defaultValue `replace-one` */
  readonly adjacency?: Adjacency;
  /** @defaultValue every fact that the methods read is 1 */
  readonly facts?: Problem['facts'];
  /** @defaultValue the unit ball */
  readonly domain?: Ref<'domain'>;
  /** @defaultValue ε = 1, δ = 10⁻⁵ */
  readonly budget?: Budget;
  /** What the run is planned with. @defaultValue what ships */
  readonly planning?: Registry;
  /** That calibrate the noise. @defaultValue the Gaussian one */
  readonly accountants?: readonly Accountant[] | undefined;
}

/** The run of an optimizer, with its plan. */
export function prepared({
  optimizer,
  params,
  records,
  columns,
  regulariser,
  loss = linear,
  adjacency = 'replace-one',
  facts = ones,
  domain = l2BallDomain({ radius: 1 }),
  budget = { epsilon: 1, delta: 1e-5 },
  planning = mechanisms,
  accountants = [gdp],
}: Prepared): Run {
  const problem: Problem = {
    adjacency,
    trust: { model: 'central' },
    dimension: columns,
    slots: [records],
    domain,
    loss: loss({}),
    capabilities: loss.capabilities,
    facts,
    ...(regulariser === undefined ? {} : { regulariser }),
  };
  return optimizer.prepare({
    registry: planning,
    problem,
    budget,
    params,
    calibrate: calibrator(accountants),
    random: seededRandom('coins of a claim'),
  });
}

/**
 * Options of a run: optional records, `silent` for no noise, and `asked`, which receives every gradient
 * query.
 */
export interface CuratedRun extends Omit<Prepared, 'columns'> {
  readonly features?: readonly (readonly number[])[];
  readonly silent?: boolean;
  readonly asked?: () => void;
}

/** What a curator works with, of which some may be replaced. */
const tools = { clippedMean, coordinateMedianOfMeans, gaussian, l2Clip };
type Tools = typeof tools;

/**
 * Record `i` is the unit vector `e_i`, with the affine loss
 * `−⟨w, x⟩`: clipped or not, the mean of a batch shows who is in it.
 */
const units = (count: number): readonly (readonly number[])[] =>
  Array.from({ length: count }, (_, i) => Array.from({ length: count }, (_2, j) => Number(i === j)));

/** Runs an optimizer against a curator whose Gaussian mechanism records its input. */
export function curated(
  given: Partial<Tools>,
  { features, silent = false, asked, ...one }: CuratedRun,
): Curated {
  const releases: Omit<Release, 'query'>[] = [];
  const queries: MeanQuery[] = [];
  const rows = features ?? units(one.records);
  const columns = rows[0].length;
  const plugin = one.loss ?? linear;
  const mine: Tools = { ...tools, ...given };
  const telling = {
    ...mine.gaussian,
    addNoise(
      params: Record<string, never>,
      value: Vector,
      scale: number,
      random: ReturnType<typeof seededRandom>,
    ): void {
      releases.push({ value: value.slice(), scale });
      if (!silent) mine.gaussian.addNoise(params, value, scale, random);
    },
  };
  const counting = {
    ...plugin,
    gradientInto: (...to: Parameters<typeof linear.gradientInto>): void => {
      asked?.();
      (plugin as typeof linear).gradientInto(...to);
    },
  };
  const registry = [
    telling,
    ...mechanisms.filter(({ name, kind }) => name !== 'gaussian' || kind !== 'mechanism'),
    mine.clippedMean,
    mine.coordinateMedianOfMeans,
    mine.l2Clip,
    counting,
  ];
  const run = prepared({ ...one, columns });
  const ledger = openLedger({ adjacency: one.adjacency ?? 'replace-one' });
  const data = attachData({
    features: {
      data: Float64Array.from(rows.flat()),
      rows: one.records,
      columns,
      offset: 0,
      rowStride: columns,
      columnStride: 1,
    },
    loss: plugin({}),
    registry,
    ledger,
  });
  const curator = centralCurator({ data, registry, run: 'claim', random: seededRandom('noise of a claim') });
  const { output } = driveSync(run, curator, {
    start: new Float64Array(columns),
    random: seededRandom('coins of a claim'),
    observe: (query: Query) => {
      if (query.ask === 'mean') queries.push(query);
    },
  });
  return {
    run,
    releases: releases.map((release, i) => ({ ...release, query: queries[i] })),
    event: ledger.spentBy('claim'),
    output,
  };
}

/** ρ of an event in zero-concentrated privacy. */
export const rhoOf = (event: PrivacyEvent): number =>
  resolveEvent(event, 'zcdp', { adjacency: 'replace-one' });

/** Records in a release's batch, by the entries of their mean. */
export const members = ({ value }: Release): readonly number[] =>
  Array.from(value, (entry, i) => (entry === 0 ? -1 : i)).filter((i) => i >= 0);
