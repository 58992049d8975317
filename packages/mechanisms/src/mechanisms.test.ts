import { describePlugin, resolvePlugin } from '@lethe/core';
import { describe, expect, it } from 'vitest';
import * as api from './index.js';
import { mechanisms } from './mechanisms.js';

describe('mechanisms', () => {
  it('names each plugin once', () => {
    const names = mechanisms.map(({ kind, name }) => `${kind}/${name}`);
    expect(new Set(names).size).toBe(names.length);
  });

  it('holds every plugin that the package exports', () => {
    const exported = Object.values(api).filter(
      (value) => (typeof value === 'function' || typeof value === 'object') && 'kind' in value,
    );
    expect(new Set(exported)).toEqual(new Set(mechanisms));
  });

  it('describes each plugin as JSON, with a source and at least two claims', () => {
    for (const plugin of mechanisms) {
      const description = describePlugin(plugin);
      expect(JSON.parse(JSON.stringify(description))).toEqual(description);
      expect(description.source.id).not.toBe('');
      expect(new Set(description.claims.map(({ property }) => property)).size).toBeGreaterThanOrEqual(2);
    }
  });

  it('resolves the references its plugins make', () => {
    for (const ref of [
      api.gaussian({}),
      api.l2Clip({ radius: 2 }),
      api.poisson({ rate: 0.5 }),
      api.clippedMean({ clip: api.l2Clip({ radius: 1 }), mechanism: api.gaussian({}) }),
    ]) {
      expect(JSON.parse(JSON.stringify(ref))).toEqual(ref);
      expect(resolvePlugin(mechanisms, ref)).toMatchObject({ params: ref.params });
    }
    expect(resolvePlugin(mechanisms, api.srhtMean.mechanism({ radius: 1, rows: 2 })).plugin).toBe(
      api.gaussian,
    );
  });
});
