/** The groups of operations of this domain, in the order in which the document shows them. */
export const AUTH_TAGS: Record<string, string> = {
  Authentication: 'How an application gets the keys to sign with, or a bearer token, and how it gives them back.',
};
