import type { PluginKind } from '@lethe/core';

/** A plugin module of a result. */
export interface PluginModule {
  /** Path or package, as in the experiment or on the command line. */
  readonly from: string;
  /** Name of its package; `null` for a single file. */
  readonly name: string | null;
  readonly version: string | null;
  /** Digest of its file and of the marks of its plugins. */
  readonly mark: string;
  readonly plugins: readonly { readonly kind: PluginKind; readonly name: string; readonly mark: string }[];
}

/** Versions of a result. */
export interface Environment {
  readonly lethe: string;
  readonly node: string;
  readonly platform: string;
  /** Plugin modules that do not ship with Lethe. */
  readonly plugins?: readonly PluginModule[];
}
