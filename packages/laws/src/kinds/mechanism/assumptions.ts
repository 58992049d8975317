import { assumptionsOf } from '@lethe/accountants';
import { fails, holds } from '../../law/finding.js';
import { defineLaw } from '../../law/law.js';
import { isExact, kindsOf } from './call.js';

export const assumptionsLaw = defineLaw({
  id: 'mechanism/assumptions',
  kind: 'mechanism',
  property: 'event',
  tier: 'exact',
  invariant: 'I-8',
  statement:
    'the event of floating-point noise lists the assumption of real arithmetic, ' +
    'so that every certificate about it does',
  power: 'an idealised mechanism whose event has no assumptions',
  check(subject) {
    if (isExact(subject)) return holds(1);
    const { plugin, params } = subject;
    const event = plugin.event(params, 1, { 'replace-one': 1, 'add-remove': 0.5, 'zero-out': 0.5 });
    if (assumptionsOf(event, kindsOf(subject)).includes('real-arithmetic')) return holds(1);
    return fails(1, {
      what:
        `its noise is floating-point, and certificates about its event '${event.kind}' do not list the ` +
        "assumption of real arithmetic; declare an event kind with the assumption 'real-arithmetic'",
      input: { event },
    });
  },
});
