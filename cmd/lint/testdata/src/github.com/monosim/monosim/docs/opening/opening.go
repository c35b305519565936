// Here is a package. Start with Use. To change it look here.
package opening // want `package comment begins "Here is": begin it with "Package opening"`
