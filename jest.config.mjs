/** Jest runs the TypeScript as the ES modules it is; swc only takes the types off, `npm run check:types` judges them. */
const modules = {
  testEnvironment: 'node',
  extensionsToTreatAsEsm: ['.ts'],
  moduleFileExtensions: ['ts', 'js', 'mjs', 'json', 'node'],
  // Sources name the compiled file, as Node wants it; here the TypeScript beside it is meant.
  moduleNameMapper: { '^(\\.{1,2}/.*)\\.js$': '$1' },
  modulePathIgnorePatterns: ['<rootDir>/dist/', '<rootDir>/data/'],
  // As the build compiles them: .swcrc says how.
  transform: { '^.+\\.ts$': '@swc/jest' },
};

/**
 * The end-to-end spec files that `npm test` runs, on the embedded store: the starts, and every kind of statement. The other
 * files test rules, which do not depend on the store. docs/testing.md says which file is here for what.
 */
const ON_EMBEDDED_STORE = [
  'accounts/accounts',
  'audiences/audience-users',
  'audiences/keywords',
  'auth/sign-in',
  'auth/signed-requests',
  'campaigns/audience-estimate',
  'campaigns/campaigns',
  'campaigns/line-items',
  'campaigns/targeting-criteria',
  'cli/start',
  'creatives/media',
  'creatives/posts',
  'webhooks/deliveries',
];

const endToEnd = {
  ...modules,
  testEnvironment: '<rootDir>/test/support/test-environment.mjs',
  globalSetup: '<rootDir>/test/support/global-setup.ts',
  globalTeardown: '<rootDir>/test/support/global-teardown.ts',
};

export default {
  maxWorkers: 2,
  // Every file leaves some 45 MB of modules behind that V8 cannot collect: without it, the fiftieth takes ten times as long.
  workerIdleMemoryLimit: '600MB',
  // A machine that does other things as well takes its time.
  testTimeout: 60_000,
  testSequencer: '<rootDir>/test/support/slow-first.mjs',
  projects: [
    { ...modules, displayName: 'unit', testMatch: ['<rootDir>/test/unit/**/*.spec.ts'] },
    {
      ...endToEnd,
      displayName: 'embedded',
      testMatch: ON_EMBEDDED_STORE.map((name) => `<rootDir>/test/e2e/${name}.e2e-spec.ts`),
    },
    { ...endToEnd, displayName: 'e2e', testMatch: ['<rootDir>/test/e2e/**/*.e2e-spec.ts'] },
  ],
};
