import type { PrivacyEvent, Run } from '@lethe/core';
import type { preparedOtherwise } from './spied-optimizer.js';

type Change = (event: PrivacyEvent) => PrivacyEvent;
type Node = {
  readonly parts?: readonly (PrivacyEvent | { readonly event: PrivacyEvent; readonly count: number })[];
  readonly event?: PrivacyEvent;
};

/** An event with `change` applied to every node, children first. */
export function rewritten(event: PrivacyEvent, change: Change): PrivacyEvent {
  const { parts, event: inner, ...rest } = event as PrivacyEvent & Node;
  return change({
    ...rest,
    ...(inner === undefined ? {} : { event: rewritten(inner, change) }),
    ...(parts === undefined
      ? {}
      : {
          parts: parts.map((part) =>
            'count' in part
              ? { ...part, event: rewritten((part as { readonly event: PrivacyEvent }).event, change) }
              : rewritten(part as PrivacyEvent, change),
          ),
        }),
  } as PrivacyEvent);
}

/** Every count in a composition replaced by 1. */
export const once: Change = (event) =>
  event.kind === 'core/compose'
    ? ({
        ...event,
        parts: (event as unknown as { readonly parts: readonly object[] }).parts.map((part) => ({
          ...part,
          count: 1,
        })),
      } as unknown as PrivacyEvent)
    : event;

/** Plans calibrated to and declaring the changed cost. */
export const chargedAs =
  (change: Change): Parameters<typeof preparedOtherwise>[1] =>
  (prepare, context) => {
    const run = prepare({
      ...context,
      calibrate: (request) =>
        context.calibrate({ ...request, make: (value) => rewritten(request.make(value), change) }),
    });
    return restated(run, (plan) => ({ event: rewritten(plan.event, change) }));
  };

/** A run with a changed plan. */
export const restated = (run: Run, change: (plan: Run['plan']) => Partial<Run['plan']>): Run =>
  Object.freeze({ ...run, plan: Object.freeze({ ...run.plan, ...change(run.plan) }) });
