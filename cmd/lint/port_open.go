package main

// portExceptions are what the rule about the port lets pass for the time being.
var portExceptions = []portException{}
