import { InvalidParameter, Unsupported, type CoreEvent, type ShuffleContext } from '@lethe/core';

/** Cost of a shuffle protocol. */
export interface ShuffleTarget {
  readonly epsilon: number;
  readonly delta: number;
}

/**
 * @throws {InvalidParameter} unless dimension, users and honest users are
 * whole numbers of at least 1, and no more are honest than there are.
 */
export function assertCrowd({ dimension, users, honestUsers }: ShuffleContext): void {
  if (!Number.isSafeInteger(dimension) || dimension < 1)
    throw new InvalidParameter(`the dimension is ${dimension}; it must be a whole number from 1 on`, {
      dimension,
    });
  if (!Number.isSafeInteger(users) || users < 1 || users > 2 ** 32)
    throw new InvalidParameter(`there are ${users} users; give a whole number from 1 to 2^32`, { users });
  if (!Number.isSafeInteger(honestUsers) || honestUsers < 1 || honestUsers > users) {
    throw new InvalidParameter(
      `${honestUsers} of ${users} users are said to be honest; ` +
        `give a whole number from 1 to ${users} that certainly are`,
      { honestUsers, users },
    );
  }
}

/**
 * The (ε, δ) that a protocol of noisy counts is asked for, within what its proof covers.
 *
 * @throws {InvalidParameter} as {@link assertCrowd}, and for ε that is not positive or δ outside (0, ½).
 * @throws {Unsupported} for ε above 15, and for a target that is no (ε, δ).
 */
export function targetOf(context: ShuffleContext): ShuffleTarget {
  assertCrowd(context);
  const { target } = context;
  if (!('epsilon' in target))
    throw new Unsupported('a shuffled protocol is proved for epsilon and delta; give a target of both', {
      target,
    });
  const { epsilon, delta } = target;
  if (!(epsilon > 0) || !(delta > 0 && delta < 0.5))
    throw new InvalidParameter(
      `the target is ε = ${epsilon}, δ = ${delta}; ε must be positive and δ between 0 and 1/2`,
      { epsilon, delta },
    );
  if (epsilon > 15)
    throw new Unsupported(`the target is ε = ${epsilon}; the proof covers ε up to 15`, {
      epsilon,
      largest: 15,
    });
  return { epsilon, delta };
}

/** What the target promises, among at least so many honest users. */
export function shuffledEvent(context: ShuffleContext): CoreEvent<'core/shuffled'> {
  const { epsilon, delta } = targetOf(context);
  return { kind: 'core/shuffled', v: 1, epsilon, delta, honestUsers: context.honestUsers };
}
