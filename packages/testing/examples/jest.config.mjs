/** ES modules run as they are. */
export default {
  testEnvironment: 'node',
  testMatch: ['**/*.test.mjs'],
  moduleFileExtensions: ['mjs', 'js'],
  transform: {},
};
