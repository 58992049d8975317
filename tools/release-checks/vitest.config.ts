import { definePackageConfig } from '../../vitest.shared.ts';

export default definePackageConfig('release-checks', { isolate: true });
