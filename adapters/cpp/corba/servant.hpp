/// The service as an object of CORBA.
#pragma once

#include <memory>

#include "../kit/service.hpp"
#include "service.hh"

namespace corba {

class Servant : public POA_callbench::SpeedService {
  public:
    explicit Servant(std::shared_ptr<kit::Service> service);

    void Empty() override;
    CORBA::Long Sum(CORBA::Long a, CORBA::Long b) override;
    callbench::Persons* GetPersons(CORBA::Long n) override;
    callbench::Octets* GetBinaryData(CORBA::Long size, const CORBA::WChar* fill) override;
    callbench::Structure* EchoStructure(const callbench::Structure& value) override;
    CORBA::WChar* EchoString(const CORBA::WChar* value) override;
    CORBA::WChar* Hello() override;
    callbench::SearchResponse* FindItems(CORBA::Long n) override;

    // The bodies are alike: a Send is counted and answers nothing. What it carries was read by the ORB before.
    void SendBoolean(CORBA::Boolean /*value*/) override { sent(); }
    void SendByte(CORBA::Octet /*value*/) override { sent(); }
    void SendChar(CORBA::WChar /*value*/) override { sent(); }
    void SendShort(CORBA::Short /*value*/) override { sent(); }
    void SendInt(CORBA::Long /*value*/) override { sent(); }
    void SendLong(CORBA::LongLong /*value*/) override { sent(); }
    void SendFloat(CORBA::Float /*value*/) override { sent(); }
    void SendDouble(CORBA::Double /*value*/) override { sent(); }
    void SendString(const CORBA::WChar* /*value*/) override { sent(); }
    void SendObject(const callbench::Person& /*value*/) override { sent(); }
    void SendBooleanArray(const callbench::Booleans& /*value*/) override { sent(); }
    void SendByteArray(const callbench::Octets& /*value*/) override { sent(); }
    void SendCharArray(const callbench::Chars& /*value*/) override { sent(); }
    void SendShortArray(const callbench::Shorts& /*value*/) override { sent(); }
    void SendIntArray(const callbench::Ints& /*value*/) override { sent(); }
    void SendLongArray(const callbench::Longs& /*value*/) override { sent(); }
    void SendFloatArray(const callbench::Floats& /*value*/) override { sent(); }
    void SendDoubleArray(const callbench::Doubles& /*value*/) override { sent(); }
    void SendStringArray(const callbench::Strings& /*value*/) override { sent(); }
    void SendObjectArray(const callbench::Persons& /*value*/) override { sent(); }

  private:
    void sent() { service_->begin(kit::place("Send")); }

    std::shared_ptr<kit::Service> service_;
    kit::Answers<callbench::Persons, std::int32_t> persons_;
    kit::Answers<callbench::Octets, std::int32_t, std::string> binary_;
    kit::Answers<callbench::SearchResponse, std::int32_t> found_;
};

} // namespace corba
