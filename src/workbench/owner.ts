/** An application, and the user who owns it and signs the request. */
export interface Owner {
  applicationId: string;
  userId: string;
}
