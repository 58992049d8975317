import type { PublicPlan, Query } from '@lethe/core';

/** What an observer of a run's queries saw of its clip. */
export interface ClipWatch {
  readonly observe: (query: Query) => void;
  /** The norm; `undefined` where the plan has one already, or nothing was clipped. */
  found(): number | undefined;
}

/**
 * Watches for the clip norm that a run finds privately, a quantile of gradient norms: it is in the first
 * query that clips, and not in the plan.
 */
export function watchClip(plan: PublicPlan): ClipWatch {
  const isPrivate = ((plan as { readonly quantile?: unknown }).quantile ?? null) !== null;
  let norm: number | undefined;
  return {
    observe(query) {
      if (isPrivate && norm === undefined) norm = radiusIn(query);
    },
    found: () => norm,
  };
}

/** The radius of the first clip that a query names, by itself or inside a mean. */
function radiusIn(query: Query): number | undefined {
  for (const part of Object.values(query)) {
    if (!isObject(part) || !isObject(part['params'])) continue;
    const clip = part['kind'] === 'clip' ? part : part['params']['clip'];
    if (!isObject(clip) || !isObject(clip['params'])) continue;
    const { radius } = clip['params'];
    if (typeof radius === 'number') return radius;
  }
  return undefined;
}

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null;
