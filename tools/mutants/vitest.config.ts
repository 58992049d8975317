import { mergeConfig } from 'vitest/config';
import { definePackageConfig } from '../../vitest.shared.js';
import { patches } from './patches.mjs';

export default mergeConfig(definePackageConfig('mutants'), {
  plugins: [patches()],
  test: { include: ['*.test.ts'] },
});
