import { mergeConfig } from 'vitest/config';
import { definePackageConfig } from '../../vitest.shared.js';

export default mergeConfig(definePackageConfig('mutants'), { test: { include: ['*.test.ts'] } });
