import { Module } from '@nestjs/common';
import { AccountsModule } from '../accounts/accounts.module.js';
import { AuthModule } from '../auth/auth.module.js';
import { WebEventTagsController } from './web-event-tags/web-event-tags.controller.js';
import { WebEventTagsService } from './web-event-tags/web-event-tags.service.js';

@Module({
  imports: [AccountsModule, AuthModule],
  controllers: [WebEventTagsController],
  providers: [WebEventTagsService],
  exports: [WebEventTagsService],
})
export class MeasurementModule {}
