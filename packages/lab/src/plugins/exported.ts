import type { Plugin, Ref } from '@lethe/core';

/** What a module exports: plugins, and plugins called with parameters. */
export interface Exported {
  readonly plugins: readonly Plugin[];
  readonly refs: readonly Ref[];
}

type Thing = Record<string, unknown>;
const isObject = (value: unknown): value is Thing =>
  (typeof value === 'object' || typeof value === 'function') && value !== null;
const isNamed = (value: unknown): value is Thing =>
  isObject(value) &&
  typeof value['kind'] === 'string' &&
  typeof value['name'] === 'string' &&
  'params' in value;
// By shape, not by identity: a module from elsewhere brings its own copy of the packages.
const isPlugin = (value: unknown): value is Plugin => isNamed(value) && Array.isArray(value['claims']);
const isRef = (value: unknown): value is Ref => isNamed(value) && !('claims' in value);

/** The plugins and references among what a module exports. */
export const pluginsAmong = (values: readonly unknown[]): Exported => ({
  plugins: values.filter(isPlugin),
  refs: values.filter(isRef),
});
