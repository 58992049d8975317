import { gdp } from '@lethe/accountants';
import {
  defineAccountant,
  defineClip,
  defineDomain,
  defineLinearLoss,
  defineMechanism,
  defineRegulariser,
  defineSampler,
  defineSelector,
  defineSketch,
  InvalidParameter,
  memoryStore,
  type Plugin,
  type Store,
  type Vector,
} from '@lethe/core';
import { subjectsOf, type Subject, type SubjectKind } from '@lethe/laws';
import { assertMoment, exponential, laplace } from '@lethe/mechanisms';
import * as z from 'zod';
import { defineTight } from '../mutant.js';

const source = { id: 'generic', item: 'unusual and correct' };
const registry = [gdp, exponential, laplace];
/** The first example of a plugin of one's own: correct, and unlike those that ship. */
const unusual = <Kind extends SubjectKind>(kind: Kind, plugin: Plugin) =>
  defineTight({
    id: `unusual-${plugin.name}`,
    kind,
    plant: () => subjectsOf(plugin, { registry })[0] as Subject<Kind>,
  });

/** A norm in a unit in which no square overflows. */
function normOf(vector: Vector): number {
  let most = 0;
  for (const entry of vector) most = Math.max(most, Math.abs(entry));
  if (!(most > 0)) return most;
  let sum = 0;
  for (const entry of vector) sum += (entry / most) ** 2;
  return most * Math.sqrt(sum);
}
const hump = (radius: number, norm: number): number => {
  const ratio = norm / radius;
  return ratio < 1e100 ? (2 * (1 - 2 ** -40)) / (1 + ratio * ratio) : 0;
};

/** Lengths rise to the radius and fall behind it: a factor that is smooth, and above 1 for short vectors. */
export const humpClip = unusual(
  'clip',
  defineClip({
    name: 'planted/hump',
    summary: 'The length s becomes 2s/(1 + s²), in radii.',
    source,
    params: z.strictObject({ radius: z.number().min(1e-50).max(1e50) }),
    examples: [{ radius: 1 }],
    claims: [],
    norm: 'l2',
    isProjection: false,
    radius: ({ radius }) => radius,
    factor: ({ radius }, norm) => (Number.isFinite(norm) ? hump(radius, norm) : 0),
    scaled: ({ radius }, factor) => ({ radius: radius * factor }),
    clipInPlace({ radius }, vector) {
      const isFinite = vector.every((entry) => Number.isFinite(entry));
      const factor = isFinite ? hump(radius, normOf(vector)) : 0;
      for (let j = 0; j < vector.length; j++) vector[j] = factor === 0 ? 0 : vector[j] * factor;
    },
    // No vector is moved by more than its length.
    biasBound(_params, moment) {
      assertMoment(moment);
      return moment.value ** (1 / moment.order) * (1 + 2 ** -30);
    },
    varianceBound({ radius }, moment) {
      assertMoment(moment);
      return radius * radius;
    },
  }),
);

/** The slope at the kink is one of many subgradients. */
export const quantileLoss = unusual(
  'loss',
  defineLinearLoss({
    name: 'planted/pinball',
    summary: 'Residuals above count more than those below.',
    source,
    params: z.strictObject({ share: z.number().gt(0).lt(1) }),
    examples: [{ share: 0.3 }],
    claims: [],
    capabilities: { convex: true, smooth: false, lipschitz: true, nonNegative: true, linear: true },
    linear: {
      value: ({ share }, margin, label) => Math.max(share * (label - margin), (share - 1) * (label - margin)),
      slope: ({ share }, margin, label) => [-share, 0.7 - share, 1 - share][Math.sign(margin - label) + 1],
    },
    facts: ({ share }, { featureNorm }) =>
      featureNorm === undefined
        ? {}
        : {
            lipschitz: {
              value: Math.max(share, 1 - share) * featureNorm * (1 + 2 ** -40),
              scope: 'every-record',
              provenance: 'from-domain',
            },
          },
    labels: { rule: 'any finite number', accepts: Number.isFinite },
  }),
);

/** Records take part by coins of unequal probabilities, by which no accountant amplifies. */
export const unequalSampler = unusual(
  'sampler',
  defineSampler({
    name: 'planted/unequal',
    summary: 'Every third slot takes part half as often.',
    source,
    params: z.strictObject({ rate: z.number().positive().max(1) }),
    examples: [{ rate: 0.4 }],
    claims: [],
    size: 'hidden',
    amplification: () => ({
      'replace-one': { sampler: null, inner: 'replace-one' },
      'add-remove': { sampler: null, inner: 'add-remove' },
      'zero-out': { sampler: null, inner: 'zero-out' },
    }),
    normaliser({ rate }, slots) {
      if (!(slots > 0 && slots < Infinity))
        throw new InvalidParameter(`slots is ${slots}; it must be positive`, { slots });
      return rate * (slots - Math.floor(slots / 3) / 2);
    },
    draw({ rate }, slots, random) {
      if (!Number.isSafeInteger(slots) || slots < 1)
        throw new InvalidParameter(`slots is ${slots}; it must be a positive whole number`, { slots });
      const chosen: number[] = [];
      for (let i = 0; i < slots; i++) if (random.uniform() < (i % 3 === 2 ? rate / 2 : rate)) chosen.push(i);
      return Uint32Array.from(chosen);
    },
  }),
);

const upperEnd = { lower: 0, certificate: 'certified', method: 'planted/at-most' } as const;
/** It knows upper ends only, and none of them is attained. */
export const atMost = unusual(
  'accountant',
  defineAccountant({
    name: 'planted/at-most',
    summary: 'A tenth more than Gaussian differential privacy says; nothing from below.',
    source,
    params: gdp.params,
    examples: [{}],
    claims: [],
    wants: ['gdp'],
    epsilon(event, query) {
      const found = gdp.epsilon(event, query);
      return { ...found, ...upperEnd, upper: found.upper * 1.1 };
    },
    delta(event, query) {
      gdp.delta(event, query);
      const found = gdp.delta(event, { ...query, epsilon: query.epsilon / 1.1 });
      return { ...found, ...upperEnd };
    },
  }),
);

/** Writes take their time, and everything is read anew. */
export const slowStore = defineTight({
  id: 'unusual-slow-store',
  kind: 'store',
  plant: () => {
    const places = new Map<string, Store>();
    const wait = (): void => {
      const until = performance.now() + 0.05;
      while (performance.now() < until);
    };
    return {
      kind: 'store',
      name: 'slow',
      claims: [],
      open: (place) => {
        const before = places.get(place);
        if (before !== undefined) return before;
        const own = memoryStore();
        const slow: Store = {
          read: () => own.read(),
          // One byte at a time.
          append(bytes) {
            for (const byte of bytes) own.append(Uint8Array.of(byte));
            wait();
          },
          truncate: (length) => own.truncate(length),
          replace(bytes) {
            wait();
            own.replace(bytes);
          },
        };
        places.set(place, slow);
        return slow;
      },
    };
  },
});

/** Half of the privacy is not used, so that regrets are twice as large. */
export const cautiousSelector = unusual(
  'selector',
  defineSelector({
    name: 'planted/cautious',
    summary: 'The exponential mechanism at half of the ε that is charged.',
    source,
    params: z.strictObject({}),
    examples: [{}],
    claims: [],
    numerics: 'idealised',
    event: (_params, epsilon, relative) => exponential.event({}, epsilon, relative),
    choose: (_params, utilities, epsilon, random) =>
      exponential.choose({}, utilities, epsilon / 2 || epsilon, random),
    probabilities: () => null,
    regretBound: (_params, candidates, epsilon) =>
      exponential.regretBound({}, candidates, epsilon / 2) * 1.25,
  }),
);

/** Half a space: not bounded, and neither a product nor a ball. */
export const halfSpace = unusual(
  'domain',
  defineDomain({
    name: 'planted/half-space',
    summary: 'The sum of the coordinates is not positive.',
    source,
    params: z.strictObject({}),
    examples: [{}],
    claims: [],
    build: (_params, dimension) => {
      // The sum of large entries may be beyond doubles.
      const meanOf = (point: Float64Array): number =>
        point.reduce((sum, entry) => sum + entry / dimension, 0);
      const lowered = (entry: number, by: number): number => Math.max(-Number.MAX_VALUE, entry - by);
      return {
        name: 'planted/half-space',
        dimension,
        diameter: Infinity,
        centre: new Float64Array(dimension),
        contains(point, tolerance = 0) {
          if (point.length !== dimension)
            throw new InvalidParameter('a point has another length', { dimension });
          return point.every((entry) => Number.isFinite(entry)) && meanOf(point) <= tolerance / dimension;
        },
        projectInto(out, point) {
          if (point.length !== dimension || !point.every((entry) => Number.isFinite(entry)))
            throw new InvalidParameter('a point has another length, or is not finite', { dimension });
          if (out.length !== dimension) throw new InvalidParameter('out has another length', { dimension });
          const mean = Math.max(0, meanOf(point));
          for (let j = 0; j < dimension; j++) out[j] = lowered(point[j], mean);
          // Rounding alone can leave a positive mean.
          for (let size = 2 ** -52; meanOf(out) > 0; size *= 2)
            for (let j = 0; j < dimension; j++)
              out[j] = lowered(out[j], Math.max(Math.abs(out[j]), Number.MIN_VALUE) * size);
          return out;
        },
      };
    },
  }),
);

/** Absolute values and squares at once. */
export const elasticNet = unusual(
  'regulariser',
  defineRegulariser({
    name: 'planted/elastic',
    summary: 'The sum of |y| + y²/2 over the coordinates.',
    source,
    params: z.strictObject({}),
    examples: [{}],
    claims: [],
    build: (_params, dimension) => {
      const checked = (point: Float64Array): Float64Array => {
        if (point.length !== dimension || !point.every((entry) => Number.isFinite(entry)))
          throw new InvalidParameter('a point has another length, or is not finite', { dimension });
        return point;
      };
      const coordinate = (_j: number, x: number, eta: number): number =>
        (Math.sign(x) * Math.max(0, Math.abs(x) - eta)) / (1 + eta);
      return {
        name: 'planted/elastic',
        value: (y) => checked(y).reduce((sum, entry) => sum + Math.abs(entry) + (entry * entry) / 2, 0),
        proxInto(out, point, eta) {
          if (!(eta > 0 && eta < Infinity)) throw new InvalidParameter(`eta is ${eta}`, { eta });
          checked(point);
          if (out.length !== dimension) throw new InvalidParameter('out has another length', { dimension });
          for (let j = 0; j < dimension; j++) out[j] = coordinate(j, point[j], eta);
          return out;
        },
        coordinate,
      };
    },
  }),
);

function upTo(end: number, dimension: number): Uint32Array {
  if (!Number.isSafeInteger(dimension) || dimension < 1)
    throw new InvalidParameter(`a dimension of ${dimension} is not positive and whole`, { dimension });
  return Uint32Array.from({ length: end }, (_, j) => j);
}
/** All coordinates, or none of them. */
export const allOrNothing = unusual(
  'sketch',
  defineSketch({
    name: 'planted/all-or-nothing',
    summary: 'All coordinates with a probability, otherwise none.',
    source,
    params: z.strictObject({ probability: z.number().gt(0).max(1) }),
    examples: [{ probability: 0.3 }],
    claims: [],
    draw: ({ probability }, dimension, random) => ({
      coordinates: upTo(random.uniform() < probability ? dimension : 0, dimension),
    }),
    marginals: ({ probability }, dimension) =>
      Float64Array.from(upTo(dimension, dimension), () => probability),
    pairProbability({ probability }, dimension, i, j) {
      const all = upTo(dimension, dimension);
      if (!all.includes(i) || !all.includes(j))
        throw new InvalidParameter(`${i} and ${j} are no two of ${dimension} coordinates`, { i, j });
      return probability;
    },
    enumerate: ({ probability }, dimension) => [
      { drawn: { coordinates: upTo(dimension, dimension) }, probability },
      { drawn: { coordinates: new Uint32Array(0) }, probability: 1 - probability },
    ],
  }),
);

/** Noise of the logistic distribution: the logarithm of its density is as steep as that of Laplace noise. */
export const logisticNoise = unusual(
  'mechanism',
  defineMechanism({
    name: 'planted/logistic-noise',
    summary: 'Adds noise of the logistic distribution.',
    source,
    params: z.strictObject({}),
    examples: [{}],
    claims: [],
    norm: 'l1',
    numerics: 'idealised',
    event: (_params, noiseMultiplier, relative) => laplace.event({}, noiseMultiplier, relative),
    multiplierFor: (_params, target) => laplace.multiplierFor({}, target),
    addNoise(_params, value, scale, random) {
      if (!(scale > 0 && scale < Infinity)) throw new InvalidParameter(`scale is ${scale}`, { scale });
      for (let j = 0; j < value.length; j++) {
        const share = random.uniform() || 2 ** -54;
        value[j] += scale * (Math.log(share) - Math.log1p(-share));
      }
    },
    standardDeviation: () => Math.PI / Math.sqrt(3),
    cdf: (_params, x) => 1 / (1 + Math.exp(-x)),
  }),
);
