import {
  applyDecorators,
  createParamDecorator,
  Injectable,
  UseGuards,
  type CanActivate,
  type ExecutionContext,
} from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { ADS_SCOPES } from '../auth/credentials/scopes.js';
import { hasAdsAccess, isRead, policyOf, type EndpointPolicy } from '../auth/guards/endpoint-policy.js';
import { UserController } from '../auth/guards/user-controller.js';
import { ApiError } from '../common/errors/api-error.js';
import { noAdsAccess } from '../common/errors/catalogue.js';

/**
 * Requires that the owner of the application sends the request, and that the application may change advertising accounts if
 * the request changes anything or is about people. Runs after the request is admitted.
 */
@Injectable()
class ApplicationOwnerGuard implements CanActivate {
  canActivate(context: ExecutionContext): boolean {
    const request = context.switchToHttp().getRequest<FastifyRequest>();
    const { userId, application } = request.user!;
    if (application.ownerId !== userId)
      throw new ApiError(403, 87, 'Only the owner of the application may use the workbench').because('not-owner');
    const policy = policyOf(context);
    const isFree = !policy.readsPeople && (isRead(request) || policy.notAWrite);
    if (!isFree && !hasAdsAccess(application, policy)) throw noAdsAccess();
    return true;
  }
}

/**
 * A controller of workbench endpoints, which concern the application that signs the request, or that an access token of OAuth 2.0
 * belongs to. What changes anything requires a token with write access.
 */
export const WorkbenchController = (path: string, policy: Pick<EndpointPolicy, 'readsPeople'> = {}) =>
  applyDecorators(
    UserController(`workbench/${path}`, {
      tag: 'Workbench',
      quota: 'WORKBENCH',
      writeQuota: 'WORKBENCH',
      scopes: ADS_SCOPES,
      ...policy,
    }),
    UseGuards(ApplicationOwnerGuard),
  );

/** The id of the application that signs the request. */
export const CurrentApplicationId = createParamDecorator(
  (_: unknown, context: ExecutionContext) => context.switchToHttp().getRequest<FastifyRequest>().user!.application.id,
);

/** The application that signs the request, and the user who owns it. */
export const CurrentOwner = createParamDecorator((_: unknown, context: ExecutionContext) => {
  const { userId, application } = context.switchToHttp().getRequest<FastifyRequest>().user!;
  return { applicationId: application.id, userId };
});
