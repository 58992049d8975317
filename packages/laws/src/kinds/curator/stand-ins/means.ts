import {
  boundedMean,
  clipBound,
  defineMean,
  defineShuffledMean,
  factBound,
  referenceTo,
  type Bound,
  type Plugin,
  type Ref,
} from '@lethe/core';
import * as z from 'zod';
import { normOf } from '../../../engines/norms.js';
import { none, plain } from './common.js';
import { mechanismNamed, type MechanismName } from './mechanisms.js';

const noBounds = { biasBound: () => Infinity, varianceBound: () => Infinity } as const;
const mechanism = referenceTo('mechanism');

/** The mean of clipped records. */
const clipped = defineMean({
  ...plain,
  ...noBounds,
  name: 'laws/clipped',
  params: z.strictObject({ clip: referenceTo('clip'), mechanism }),
  privacyRestsOn: 'clip',
  ...boundedMean(({ clip }: { readonly clip: Ref<'clip'> }, shape) => clipBound(shape, clip)),
  mechanism: (given) => given.mechanism,
});
/** The mean of records within a certified bound. */
const certified = defineMean({
  ...plain,
  ...noBounds,
  name: 'laws/certified',
  params: z.strictObject({ fact: z.string(), mechanism }),
  privacyRestsOn: 'every-record constants',
  ...boundedMean(({ fact }: { readonly fact: string }, shape) => factBound(shape, fact)),
  mechanism: (given) => given.mechanism,
});
/** The mean of records bounded in this way, by a reference by hand. */
export const meanWithin = (bound: Bound, noise: Ref<'mechanism'>): Ref<'mean'> => ({
  kind: 'mean',
  name: `laws/${bound.by === 'clip' ? 'clipped' : 'certified'}`,
  params: {
    ...(bound.by === 'clip' ? { clip: { ...bound.clip } } : { fact: bound.fact }),
    mechanism: { ...noise },
  },
});

/**
 * A mean of records held to a ball that computes everything itself; one for each mechanism that may noise it.
 */
const ownMean = (name: MechanismName): Plugin =>
  defineMean({
    ...plain,
    ...noBounds,
    name: `laws/own-${name}`,
    params: z.strictObject({ radius: z.number().positive() }),
    trust: 'central',
    privacyRestsOn: 'clip',
    mechanism: () => mechanismNamed(name),
    norm: () => 'l2',
    sensitivity: ({ radius }, { slots }) => ({
      'replace-one': (2 * radius) / slots,
      'add-remove': radius / slots,
      'zero-out': radius / slots,
    }),
    begin({ radius }, { dimension, slots }) {
      const sum = new Float64Array(dimension);
      return {
        add(_slot, gradient) {
          const length = normOf('l2', gradient);
          if (Number.isFinite(length))
            for (let j = 0; j < dimension; j++)
              sum[j] += gradient[j] * (length > radius ? radius / length : 1);
        },
        value: () => sum.map((total) => total / slots),
        finish: (noised) => noised,
      };
    },
    event: (_params, noise) => noise,
  });
/** A reference by hand to a mean that computes everything itself. */
export const meanOfItsOwn = (name: MechanismName, radius: number): Ref<'mean'> => ({
  kind: 'mean',
  name: `laws/own-${name}`,
  params: { radius },
});

/** The mean of the shuffle model. */
const shuffled = defineShuffledMean({
  ...plain,
  name: 'laws/shuffled',
  params: none,
  privacyRestsOn: 'clip',
  trust: 'shuffle',
  biasBound: () => null,
  varianceBound: () => null,
  randomiser: () => ({ kind: 'localRandomiser', name: 'laws/recording', params: {} }),
});

/** All of them. */
export const means: readonly Plugin[] = [
  clipped,
  certified,
  shuffled,
  ...(['silent', 'ruler', 'flood', 'gaussian'] as const).map(ownMean),
];
