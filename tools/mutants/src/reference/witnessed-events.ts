import { defineEvent, gaussianEvent, type EventKind, type PrivacyEvent, type Realisation } from '@lethe/core';
import { subjectsOf, type Subject } from '@lethe/laws';
import * as z from 'zod';

const source = { id: 'lethe', item: 'mutant' };
const v = z.literal(1);

const responseSchema = z.strictObject({
  kind: z.literal('acme/response'),
  v,
  epsilon: z.number().positive().max(20),
  categories: z.int().min(2).max(64),
});

const randomised: Realisation<z.output<typeof responseSchema>>['draw'] = (
  { epsilon, categories },
  _adjacency,
  side,
  random,
) => {
  const light = 1 / (Math.exp(epsilon) + categories - 1);
  const tells = random.uniform() < light * Math.expm1(epsilon);
  return [tells ? side : random.integer(categories)];
};

/** Randomised response over some categories, of which `pure` is told. */
export const response = (
  pure: (epsilon: number) => number,
  draw: Realisation<z.output<typeof responseSchema>>['draw'] = randomised,
): Subject<'event'> =>
  subjectsOf(
    defineEvent<typeof responseSchema>({
      name: 'acme/response',
      version: 1,
      summary: 'One of some categories, told truly with odds e^ε.',
      source,
      claims: [],
      schema: responseSchema,
      examples: [{ kind: 'acme/response', v: 1, epsilon: 1, categories: 5 }],
      characterise: { pure: ({ epsilon }) => pure(epsilon) },
      realise: [{ draw }],
    }) as unknown as EventKind,
  )[0] as Subject<'event'>;

const sampledSchema = z.strictObject({
  kind: z.literal('acme/sampled'),
  v,
  rate: z.number().positive().max(1),
  sigma: z.number().positive(),
});

/** Gaussian noise on a Poisson sample, whose Rényi curve is that at `orderOf` of the order. */
export const sampled = (orderOf: (alpha: number) => number): Subject<'event'> =>
  subjectsOf(
    defineEvent<typeof sampledSchema>({
      name: 'acme/sampled',
      version: 1,
      summary: 'Gaussian noise on a Poisson sample.',
      source,
      claims: [],
      schema: sampledSchema,
      assumptions: ['real-arithmetic'],
      examples: [{ kind: 'acme/sampled', v: 1, rate: 0.3, sigma: 1 }],
      characterise: {
        rdp({ rate, sigma }, _adjacency, resolve) {
          const event = {
            kind: 'core/sampled',
            v: 1,
            sampler: { kind: 'core/poisson', rate },
            event: gaussianEvent(sigma, { 'zero-out': 1 }),
          } as PrivacyEvent;
          const curve = resolve(event, 'rdp', 'zero-out');
          return (alpha) => curve(Math.max(1 + 1e-9, orderOf(alpha)));
        },
      },
      realise: [
        {
          draw({ rate, sigma }, _adjacency, side, random) {
            const isThere = random.uniform() < rate && side === 0;
            return [sigma * random.gaussianInto(new Float64Array(1))[0] + Number(isThere)];
          },
          density({ rate, sigma }, _adjacency, side, output) {
            const at = (centre: number): number =>
              Math.exp(-(((output[0] - centre) / sigma) ** 2) / 2) / (sigma * Math.sqrt(2 * Math.PI));
            return side === 0 ? rate * at(1) + (1 - rate) * at(0) : at(0);
          },
        },
      ],
    }) as unknown as EventKind,
  )[0] as Subject<'event'>;
