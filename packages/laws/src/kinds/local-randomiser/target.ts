import type { EventKind, PrivacyEvent, ShuffleContext, Target } from '@lethe/core';
import { claimedProfile, claimedRenyi } from '../../divergence/claimed-profile.js';
import type { Violation } from '../../law/finding.js';
import { defineLaw } from '../../law/law.js';
import type { Subject } from '../../law/subject.js';
import { firstOf } from '../curator/outcomes.js';
import { attempt } from '../sampler/declined.js';

const targets: readonly Exclude<Target, { readonly unprotected: true }>[] = [
  ...[0.25, 1, 4].flatMap((epsilon) => [1e-9, 1e-3].map((delta) => ({ epsilon, delta }))),
  ...[0.01, 0.5, 3].map((rho) => ({ rho })),
];

const eventOf = (
  { plugin, params }: Subject<'localRandomiser'>,
  context: ShuffleContext,
): PrivacyEvent | undefined =>
  (attempt(() => plugin.event(params, context)) as { readonly value?: PrivacyEvent }).value;

/** The event meets the target. */
export const target = defineLaw<'localRandomiser'>({
  id: 'localRandomiser/target',
  kind: 'localRandomiser',
  tier: 'exact',
  statement:
    'the event of a release, unless refused, costs at most the target: δ at its ε, ' +
    'or ρ at every order; protocols whose cost does not depend on the target are exempt',
  power: 'certain at nine targets, 1 to 2²⁰ users and up to three dimensions',
  check: (subject) =>
    firstOf(
      (function* (): Generator<Violation | undefined> {
        if (
          new Set(
            targets.map((aim) =>
              JSON.stringify(
                eventOf(subject, { dimension: 2, users: 2 ** 20, honestUsers: 2 ** 20, target: aim }),
              ),
            ),
          ).size === 1
        )
          return;
        const kinds = subject.registry.filter((other): other is EventKind => other.kind === 'event');
        for (const aim of targets)
          for (const dimension of [1, 2, 3])
            for (const users of [1, 1000, 2 ** 20]) {
              const context: ShuffleContext = { dimension, users, honestUsers: users, target: aim };
              const event = eventOf(subject, context);
              if (event === undefined) continue;
              if ('epsilon' in aim) {
                const measured = claimedProfile(event, 'replace-one', kinds).delta(aim.epsilon);
                yield measured <= aim.delta * (1 + 1e-9)
                  ? undefined
                  : {
                      what:
                        `at ε = ${aim.epsilon} its event claims δ = ${measured}; ` +
                        `the target is ${aim.delta}`,
                      measured,
                      allowed: aim.delta,
                      input: context,
                    };
              } else if ('rho' in aim) {
                const renyi = claimedRenyi(event, 'replace-one', kinds);
                for (const order of [1.5, 2, 8, 64]) {
                  const measured = renyi(order);
                  const allowed = aim.rho * order * (1 + 1e-9);
                  yield measured <= allowed
                    ? undefined
                    : {
                        what:
                          `its event claims a Rényi divergence of order ${order} of ${measured}; ` +
                          `the target is ρ = ${aim.rho}`,
                        measured,
                        allowed,
                        input: context,
                      };
                }
              }
            }
      })(),
    ),
});
