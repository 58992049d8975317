import type { PluginKind } from '@lethe/core';
import type { SubjectKind, Tier } from '@lethe/laws';
import { namesOf } from './names-of.js';
import { pluginKinds } from './shared-options.js';

/** What a calibration aims at. */
export const sides = ['epsilon', 'delta', 'advantage', 'detection'] as const;
/** Which way a free number makes an event more private. */
export const directions = ['larger-is-private', 'smaller-is-private'] as const;

/** Directions of add-remove. */
export const oneWay = ['add', 'remove'] as const;

/** Laws by what it takes to check them. */
export const tiers = namesOf<Tier>({ exact: true, search: true, statistical: true, nightly: true });
/** What laws are of. */
export const subjectKinds: readonly SubjectKind[] = [
  ...pluginKinds,
  ...namesOf<Exclude<SubjectKind, PluginKind>>({
    curator: true,
    federation: true,
    release: true,
    ledger: true,
    store: true,
  }),
];

/** Who is trusted with records, as far as a plan by hand asks. */
export const trustModels = ['central', 'shuffle'] as const;
