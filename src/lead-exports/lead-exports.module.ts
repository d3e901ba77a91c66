import { Module } from '@nestjs/common';
import { AccountsModule } from '../accounts/accounts.module.js';
import { CreativesModule } from '../creatives/creatives.module.js';
import { LeadExportsController, LeadFilesController } from './lead-exports.controller.js';
import { LeadExportsService } from './lead-exports.service.js';

@Module({
  imports: [AccountsModule, CreativesModule],
  controllers: [LeadExportsController, LeadFilesController],
  providers: [LeadExportsService],
  exports: [LeadExportsService],
})
export class LeadExportsModule {}
