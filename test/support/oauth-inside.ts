/** What `oauth` calls itself when it sends a request; its public methods would open a connection. */
export interface OAuthInside {
  _prepareParameters(
    token: string,
    secret: string,
    method: string,
    url: string,
    extra: Record<string, string[]>,
  ): [string, string][];
  _buildAuthorizationHeaders(ordered: [string, string][]): string;
}
