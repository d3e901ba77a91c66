/** ES modules run as they are. */
export default {
  testEnvironment: 'node',
  testMatch: ['**/*.test.mjs'],
  // starts an image: `MARQUEE_IMAGE=marquee npm run test:testing`
  testPathIgnorePatterns: process.env.MARQUEE_IMAGE ? [] : ['containers'],
  moduleFileExtensions: ['mjs', 'js'],
  transform: {},
  maxWorkers: 2,
  // a command takes seconds on a machine that does other things as well
  testTimeout: 60_000,
};
