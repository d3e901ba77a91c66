import { Controller, Get, Header, Res } from '@nestjs/common';
import { ApiExcludeController } from '@nestjs/swagger';
import type { FastifyReply } from 'fastify';
import { PROFILE_IMAGE, PROFILE_IMAGE_PATH } from './profile-image.js';

/** Serves the profile image that user objects reference. */
@ApiExcludeController()
@Controller()
export class ProfileImageController {
  @Get(PROFILE_IMAGE_PATH)
  @Header('cache-control', 'public, max-age=86400')
  @Header('x-content-type-options', 'nosniff')
  show(@Res() reply: FastifyReply) {
    return reply.type('image/png').send(PROFILE_IMAGE);
  }
}
