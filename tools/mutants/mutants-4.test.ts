import { describeMutants } from './shard.ts';

describeMutants(3, 4);
