/**
 * Passport registers strategies by name for the whole process, which may host several applications. So each guard
 * passes its own strategy object instead of a name. Passport modifies that object, so each request gets a new one.
 */
export const usingStrategy = (strategy: object) => ({
  get defaultStrategy(): string {
    return Object.create(strategy) as string;
  },
});
