import type { Answer, Program, Optimizer, Query, Registry, Run, State, Vector } from '@lethe/core';
import { subjectsOf, type Subject } from '@lethe/laws';
import { losses } from '@lethe/losses';
import { mechanisms } from '@lethe/mechanisms';

/** Plugins for the optimizers of the corpus. */
export const companions: Registry = [...mechanisms, ...losses];

/** Changes between an optimizer's steps and its driver. */
export interface Spy {
  readonly query?: (query: Query) => Query;
  readonly answer?: (query: Query, answer: Answer) => Answer;
  /** Declared part of a state. @defaultValue all of it */
  readonly state?: (state: State) => State;
  readonly output?: (output: Vector) => Vector;
}

/** A run with changed steps; `make` is called for every start of the steps. */
export const spiedRun = (run: Run, make: () => Spy): Run =>
  Object.freeze({
    ...run,
    steps(context: Parameters<Run['steps']>[0]) {
      const spy = make();
      const { state: declared = (own: State) => own } = spy;
      function state<S extends State>(own: S): S {
        context.state(declared(own));
        return own;
      }
      return spied(run.steps({ ...context, state }), spy);
    },
  });

function* spied(
  steps: Program<Vector>,
  { query = (asked) => asked, answer = (_asked, told) => told, output = (point) => point }: Spy,
): Program<Vector> {
  for (let next = steps.next(); ;) {
    if (next.done === true) return output(next.value);
    const asked = next.value;
    const posed = query(asked);
    next = steps.next(answer(posed, yield posed));
  }
}

type Prepare = Optimizer['prepare'];

/**
 * A real optimizer with a replaced prepare, which may call the
 * original; at the first of its examples, or the given parameters.
 */
export function preparedOtherwise(
  base: Pick<Optimizer, 'prepare'> & object,
  prepare: (real: Prepare, context: Parameters<Prepare>[0]) => Run,
  {
    more = {},
    registry = companions,
    params,
  }: { readonly more?: Partial<Optimizer>; readonly registry?: Registry; readonly params?: unknown } = {},
): Subject<'optimizer'> {
  const real = base as Optimizer;
  const plugin = Object.freeze({
    ...real,
    ...more,
    prepare: (context: Parameters<Prepare>[0]) => prepare(real.prepare, context),
  }) as Optimizer;
  return subjectsOf(plugin, {
    registry,
    ...(params === undefined ? {} : { params }),
  })[0] as Subject<'optimizer'>;
}
