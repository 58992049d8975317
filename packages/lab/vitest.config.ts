import { definePackageConfig } from '../../vitest.shared.ts';

export default definePackageConfig('@lethe/lab', { isolate: true });
