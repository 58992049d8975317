import { normalEvent, sampledEvent, type PrivacyEvent, type SamplerSpec } from '@lethe/core';
import { rememberForm } from '@lethe/core/internal';
import { ownCopy } from '@lethe/numerics';

/** Last sampled form of an immutable event: an optimizer usually draws with one sampler. */
const sampledForms = new WeakMap<
  PrivacyEvent,
  { readonly sampler: SamplerSpec; readonly event: PrivacyEvent }
>();

/**
 * The normal form of `event` in a sample: the same object for equal samplers in a row.
 *
 * @param sampler - Copied; compared by what it says now.
 */
export function sampledOnce(sampler: SamplerSpec, event: PrivacyEvent): PrivacyEvent {
  const last = sampledForms.get(event);
  if (last !== undefined && sameFields(last.sampler, sampler)) return last.event;
  const own = ownCopy(sampler);
  const made = ownCopy(normalEvent(sampledEvent(own, event)));
  if (rememberForm(event) && rememberForm(made)) sampledForms.set(event, { sampler: own, event: made });
  return made;
}

/** Whether two flat records have equal fields; `false` for records that hold others. */
function sameFields(a: object, b: object): boolean {
  let fields = 0;
  for (const [name, value] of Object.entries(b)) {
    if ((a as Readonly<Record<string, unknown>>)[name] !== value) return false;
    fields++;
  }
  return fields === Object.keys(a).length;
}
