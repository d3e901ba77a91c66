import { ApiError } from '../common/errors/api-error.js';

/** 400, whereas the code usually is 403: roles do not matter here. */
export const hasNoFile = (id: string, status: string) =>
  new ApiError(
    400,
    'ACTION_NOT_ALLOWED',
    status === 'SUCCESS' ? `The file of export ${id} has expired` : `Export ${id} is ${status} and has no file`,
    { parameter: 'export_id', value: id },
  );
