import {
  type Adjacency,
  type Budget,
  type Calibrate,
  type Fact,
  LetheError,
  type Loss,
  type Problem,
  type RandomSource,
  type Ref,
  type Registry,
  type Run,
  type TrustModel,
  seededRandom,
  eventKindsOf,
} from '@lethe/core';
import { type Domain } from '@lethe/numerics';
import { domainIn, withBall } from '../../engines/ball-domain.js';
import type { Cell } from '../../law/law.js';
import type { Subject } from '../../law/subject.js';
import { outcomeOf } from '../curator/outcomes.js';
import { rememberingCalibrate } from './calibration.js';
import { filterByOrder } from './filter.js';
import { labelsOf } from './records.js';
import { remembered, type Memory } from './remembered.js';

/** A loss of the registry at one set of parameters. */
export interface ChosenLoss {
  readonly plugin: Loss;
  readonly params: unknown;
  readonly ref: Ref<'loss'>;
}

/** A public problem an optimizer can be planned for, and what a data owner declared along with it. */
export interface Setting {
  readonly problem: Problem;
  readonly loss: ChosenLoss;
  readonly slots: number;
  readonly dimension: number;
  readonly labels: readonly number[];
  /** Declared of every record; facts of the loss follow from it. */
  readonly domain: {
    readonly featureNorm: number;
    readonly featureBounds: readonly number[];
    readonly labelBound: number;
    readonly iterateNorm: number;
  };
}

/** Radius of the ball in which iterates stay. */
export const radius = 4;
/** A budget at which the noise of a run leaves something to see. */
export const budget: Budget = { epsilon: 4, delta: 1e-2 };

/** A loss at its first example, and its facts about short records. */
interface UsableLoss {
  readonly chosen: ChosenLoss;
  readonly facts: ReturnType<Loss['facts']>;
}

/** None where these laws cannot use it. */
function usableLoss(loss: Loss): readonly UsableLoss[] {
  const parsed = loss.params.safeParse(loss.examples?.[0] ?? {});
  // These laws know points with one entry per column, and labels that are numbers.
  if (!parsed.success || labelsOf(loss, parsed.data).length === 0 || hasOtherPoints(loss, parsed.data))
    return [];
  const facts = loss.facts(parsed.data, {
    columns: 1,
    featureNorm: 1,
    featureBounds: [1],
    labelBound: 1,
    iterateNorm: radius,
  });
  const ref = { kind: 'loss', name: loss.name, params: parsed.data } as Ref<'loss'>;
  return [{ chosen: { plugin: loss, params: parsed.data, ref }, facts }];
}
const usableLosses: Memory<Loss, readonly UsableLoss[]> = new WeakMap();

/** Losses that have what the optimizer needs, those first for which the least must be made up. */
function lossesFor({ plugin, registry }: Subject<'optimizer'>): readonly ChosenLoss[] {
  const fits = ({ capabilities }: Loss): boolean =>
    Object.entries(plugin.needs).every(
      ([need, wanted]) => wanted !== true || (capabilities as Record<string, unknown>)[need] === true,
    );
  return registry
    .filter((candidate): candidate is Loss => candidate.kind === 'loss')
    .filter(fits)
    .flatMap((loss) => remembered(usableLosses, loss, 'at its first example', () => usableLoss(loss)))
    .map(({ chosen, facts }) => {
      const missing = ['lipschitz', 'smoothness', ...Object.keys(plugin.facts)].filter(
        (name) => facts[name] === undefined,
      ).length;
      return { chosen, missing };
    })
    .toSorted((a, b) => a.missing - b.missing)
    .map(({ chosen }) => chosen);
}

const hasOtherPoints = (loss: Loss, params: unknown): boolean =>
  [3, 4].some((columns) => {
    const dimension = outcomeOf(() => loss.iterateDimension(params, columns));
    return 'refused' in dimension || dimension.value !== columns;
  });

/** Why these laws cannot speak of an optimizer. */
export function exempt(subject: Subject<'optimizer'>): string | undefined {
  const { plugin } = subject;
  if (!plugin.trustModels.includes('central'))
    return `it runs in the ${plugin.trustModels.join(', ')} model; these laws have a trusted curator`;
  return withoutLoss(subject);
}

/** The same where no curator is trusted. */
export function withoutLoss(subject: Subject<'optimizer'>): string | undefined {
  const { plugin, registry } = subject;
  if (lossesFor(subject).length > 0) return undefined;
  const has = registry.filter(({ kind }) => kind === 'loss').map(({ name }) => name);
  return (
    `it needs a loss that is ${Object.keys(plugin.needs).join(', ') || 'any at all'}; ` +
    `the registry has ${has.join(', ') || 'none'}: give one with { registry }`
  );
}

/** One cell for each adjacency that is declared. */
export const underEach = ({ plugin }: Subject<'optimizer'>): readonly Cell[] =>
  plugin.adjacencies.map((adjacency) => ({ name: adjacency, adjacency }));

/**
 * Facts that problems of this framework declare: those of the loss,
 * generous ones for the names it lacks, and the usual optional ones.
 */
function factsOf(
  { plugin }: Subject<'optimizer'>,
  loss: ChosenLoss,
  domain: Setting['domain'],
  dimension: number,
): Readonly<Record<string, Fact>> {
  const known = loss.plugin.facts(loss.params, { columns: dimension, ...domain });
  const declared = (value: number): Fact => ({ value, scope: 'population', provenance: 'declared' });
  const moment = known['lipschitz']?.value ?? 4;
  const usual = {
    'gradientMoment.2': declared(moment),
    'gradientMoment.4': declared(moment),
    diameter: declared(2 * radius),
  };
  return {
    ...usual,
    ...Object.fromEntries(Object.keys(plugin.facts).map((name) => [name, declared(8)])),
    ...known,
  };
}

type Sizes = readonly (readonly [slots: number, dimension: number])[];
const usualSizes: Sizes = [
  [24, 3],
  [12, 2],
  [100, 4],
  [400, 4],
  [100, 64],
];
type TrustOf = (slots: number) => TrustModel;
const trusted: TrustOf = () => ({ model: 'central' });

/**
 * Every problem tried, the likeliest to fit first.
 *
 * @param options - `sizes` are pairs of slots and dimension.
 */
export function settingsOf(
  subject: Subject<'optimizer'>,
  adjacency: Adjacency,
  { trustOf = trusted, sizes = usualSizes }: { readonly trustOf?: TrustOf; readonly sizes?: Sizes } = {},
): readonly Setting[] {
  const losses = lossesFor(subject);
  return sizes.flatMap(([slots, dimension]) =>
    losses.map((loss): Setting => {
      const domain = {
        featureNorm: 1,
        featureBounds: Array.from({ length: dimension }, () => 1),
        labelBound: 1,
        iterateNorm: radius,
      };
      return {
        slots,
        dimension,
        loss,
        domain,
        labels: labelsOf(loss.plugin, loss.params),
        problem: {
          adjacency,
          dimension,
          slots: [slots],
          trust: trustOf(slots),
          domain: { kind: 'domain', name: 'l2-ball', params: { radius } },
          loss: loss.ref,
          capabilities: loss.plugin.capabilities,
          facts: factsOf(subject, loss, domain, dimension),
        },
      };
    }),
  );
}

const calibrations: Memory<Registry, Calibrate> = new WeakMap();

/**
 * Calibrates without an accountant, each family of events once for all plans with this registry.
 *
 * @param tolerance - Relative; a plan is the same run with a thousandth more noise. @defaultValue 1e-3
 */
export const calibrateFor = (registry: Registry, tolerance = 1e-3): Calibrate =>
  remembered(calibrations, registry, String(tolerance), () =>
    rememberingCalibrate(eventKindsOf(registry), tolerance),
  );

/** Options of planning a run. */
export interface Planning {
  readonly budget?: Budget;
  readonly calibrate?: Calibrate;
  readonly random?: RandomSource;
  readonly params?: unknown;
}

/** Plans a run. @throws whatever planning throws. */
export function planned(
  { plugin, params: own, registry }: Subject<'optimizer'>,
  problem: Problem,
  {
    budget: given = budget,
    calibrate = calibrateFor(registry),
    random = seededRandom('public'),
    params = own,
  }: Planning = {},
): Run {
  return plugin.prepare({
    problem,
    registry: withBall(registry),
    budget: given,
    params: params,
    calibrate,
    random,
    filter: filterByOrder,
  });
}

type Found = Setting | { readonly why: string };
const settings: Memory<Subject<'optimizer'>, Found> = new WeakMap();

/**
 * The first problem for which the optimizer can be planned; otherwise why there is none. With a trusted
 * curator it is the same object for all laws of a subject, which share what they find in it.
 */
export function settingOf(subject: Subject<'optimizer'>, adjacency: Adjacency, trustOf = trusted): Found {
  if (trustOf !== trusted) return firstSetting(subject, adjacency, trustOf);
  return remembered(settings, subject, adjacency, () => firstSetting(subject, adjacency, trusted));
}

function firstSetting(subject: Subject<'optimizer'>, adjacency: Adjacency, trustOf: TrustOf): Found {
  let first: string | undefined;
  for (const setting of settingsOf(subject, adjacency, { trustOf })) {
    try {
      planned(subject, setting.problem);
      return setting;
    } catch (error) {
      first ??=
        `${error instanceof Error ? `${error.name}: ${error.message}` : String(error)} (${setting.slots} ` +
        `slots, dimension ${setting.dimension}, loss '${setting.loss.plugin.name}')`;
      if (!(error instanceof LetheError)) break;
    }
  }
  return { why: first ?? 'there is no loss to try it with' };
}

/** The set in which iterates stay. */
export const iteratesOf = ({ registry }: Subject<'optimizer'>, { domain, dimension }: Problem): Domain =>
  domainIn(registry, domain, dimension);
